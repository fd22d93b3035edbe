# frozen_string_literal: true

module Notify
  # Short messages about cancelled ships. Providers fail, so an attempt that did not work is
  # repeated after a pause that doubles each time and is stretched by a random part, so that
  # a thousand messages do not all knock again in the same second.
  class SmsSender
    # The provider said that trying again is useless, for instance for a number that does not exist.
    class Permanent < StandardError; end

    # The line is busy or the provider is down.
    class Temporary < StandardError; end

    MAX_ATTEMPTS = 6
    FIRST_PAUSE = 0.5
    LONGEST_PAUSE = 30.0
    GSM_SINGLE = 160
    GSM_PART = 153

    def initialize(provider, sleeper: Kernel.method(:sleep), random: Random.new)
      @provider = provider
      @sleeper = sleeper
      @random = random
    end

    # Returns the provider's id, or nil when the number is not one.
    def deliver(number, text)
      attempt = 0
      begin
        attempt += 1
        @provider.send_text(normalise(number), text)
      rescue Permanent
        nil
      rescue Temporary
        raise if attempt >= MAX_ATTEMPTS

        @sleeper.call(pause_after(attempt))
        retry
      end
    end

    def pause_after(attempt)
      ceiling = [FIRST_PAUSE * (2**(attempt - 1)), LONGEST_PAUSE].min
      (ceiling / 2) + (@random.rand * ceiling / 2)
    end

    # How many messages the text is billed as.
    def self.parts(text)
      return 1 if text.length <= GSM_SINGLE

      (text.length / GSM_PART.to_f).ceil
    end

    private

    # National numbers get the country code, blanks and brackets go away.
    def normalise(number)
      digits = number.gsub(/[\s()\/-]/, '')
      digits.start_with?('0') ? "+44#{digits[1..]}" : digits
    end
  end
end
