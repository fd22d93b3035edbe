# frozen_string_literal: true

require 'date'

module Notify
  # The mail that goes to the masters at five: weather, notes of the day before, who is on duty.
  class MorningDigest
    Section = Struct.new(:title, :lines, :priority)

    QUIET = 'Nothing to report.'
    WIDTH = 72

    def initialize(date)
      @date = date
      @sections = []
    end

    # Sections without lines are left out; a smaller priority comes first.
    def add(title, lines, priority: 50)
      kept = lines.map(&:strip).reject(&:empty?)
      @sections << Section.new(title, kept, priority) unless kept.empty?
      self
    end

    def subject
      urgent = @sections.any? { |section| section.priority < 10 }
      "#{urgent ? 'ATTENTION: ' : ''}Morning sheet #{@date.strftime('%a %-d %b')}"
    end

    def body
      return "#{QUIET}\n" if @sections.empty?

      ordered = @sections.each_with_index.sort_by { |section, index| [section.priority, index] }
      ordered.map { |section, _| render(section) }.join("\n")
    end

    private

    def render(section)
      bullets = section.lines.map { |line| fold("* #{line}") }
      "#{section.title.upcase}\n#{bullets.join("\n")}\n"
    end

    # Breaks long lines at blanks and indents what follows, for readers on a telephone.
    def fold(line)
      line.gsub(/(.{1,#{WIDTH}})(\s+|\z)/, "\\1\n  ").rstrip
    end
  end
end
