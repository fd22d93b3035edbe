"""A small source in each language, with most of what its grammar calls a definition."""

RUST = """
//! About pumps.

/// A pump.
#[derive(Debug)]
pub struct Pump<T> { pub pressure_of_the_pump: T }
pub trait Run { fn signature(&mut self) -> bool; fn with_body(&mut self) { self.signature(); } }
impl<T: fmt::Debug> Run for Pump<T> { fn signature(&mut self) -> bool { true } }
impl Default for std::boxed::Pump<u8> { fn default() -> Self { todo!("some day") } }
mod valves { pub mod inner { pub fn turn_the_valve_around(times: u32) -> u32 { times } } }
macro_rules! gauge { () => { "a gauge of some length" }; }
union Both { a: u8, b: i8, third_member_of_it: u16 }
"""

PYTHON = """
LIMIT_OF_ALL_THE_THINGS_THERE_ARE = 3
class Pump(Base):
    size: int = "a class variable of some length"
    @property
    def pressure(self):
        return self.size_of_the_pump_itself
    class Valve:
        async def turn(self):
            return "and a text that is long enough"
def main(): return "main is long enough as well"
"""

PHP = """<?php
namespace App\\Models;
use Some\\Other\\Thing\\That\\Is\\Long\\Enough;
final class Pump extends Base { private int $sizeOfThePumpInBar = 3; function start(): bool { return true; } }
interface Runs { public function startItSlowlyAtFirst(): bool; }
trait Leaks { function dripDripDropAndSoOnAndOn() { } }
enum Valve: string { case OpenWideWideWideOpen = 'o'; }
function helper() { return "long enough"; }
"""

PHP_BLOCKS = """<html><body>a page of its own, long enough</body><?php
namespace A\\B { class C { function d() { return "long enough to stand"; } } }
namespace { function free_standing() { return "long enough"; } }
"""

JAVASCRIPT = """
export default class Pump extends Base {
  handle = () => { return "long enough to stand"; };
  constructor(size) { super("long enough to stand"); }
  static #secret() { return "long enough to stand"; }
  get pressure() { return "long enough to stand"; }
}
export const run = async (x) => { return "long enough"; };
function* gen() { yield "long enough to stand alone"; }
Pump.prototype.stop = function () { return "long"; };
Pump.make = function () { return "long enough to stand"; };
module.exports.helper = function () { return "long"; };
exports.other = () => { return "long enough to stand"; };
const api = { list: function () { return "long enough"; }, get: (id) => "long enough to stand" };
"""

TYPESCRIPT = """
export interface Runs<T> { startItSlowlyAtFirst(): T; }
export type Alias = Runs<"a type that is long enough">;
export enum Valve { OpenWide, ShutTight, InBetween, }
@Component({ selector: 'x' })
export class Pump<T> implements Runs<T> {
  private handle = (e: Event): void => { e.longEnough(); };
  @HostListener('click') start(): T { return null!; }
}
export abstract class Base { abstract go(where: string): void; }
export namespace Tools { export function mend(it: Pump): void { it.mended(); } }
declare module 'fs' { function readItAll(name: string): void; }
declare function ambient(x: number): string;
export const f = <T,>(x: T): T => { return x; };
"""

TSX = """
export function App(props: Props) { return <div className="long">{props.name}</div>; }
export const Button = ({ label }: P) => <button>{label}</button>;
"""

GO = """package pump
import "fmt and other things of some length"
type Pump[T any] struct { size T; pressure T; name string }
type (
	Alias = Pump[map[string]string, somethingLong]
	Run interface { Start() error; Stop() error; Wait() }
)
func (p *Pump[T]) Start() error { return errors.New("x") }
func (p Plain) Stop() error { return errors.New("x") }
func New() *Pump[int] { return &Pump[int]{} }
"""

JAVA = """package com.example;
import java.util.concurrent.atomic.*;
public class Pump<T> extends Base implements Run {
    private int size = "a field that is long enough".size();
    public Pump(int size) { this.size = size; this.other = 1; }
    @Override public boolean start() { return true; }
    enum Kind { A, B; int methodOfIt() { return 1_000; } }
    record Pair(int first, int second) { Pair { check(first); } }
    @interface Marked { String value() default "long"; }
}
interface Run { boolean startItSlowlyAtFirst(); }
"""

C = """
#include <stdio.h and something long enough>
struct pump { int size_of_it; int pressure_of_it; };
typedef struct { int a; int bb; int ccc; } gauge_t;
typedef int (*handler_t)(int, int, int, void *);
enum kind { KIND_ONE, KIND_TWO, KIND_THREE, KIND_FOUR };
union both { int aaaaaa; float bbbbbb; double cccccc; };
static int *start(struct pump *p, int cb(int)) { int local(3); return 0; }
#define MAX(a, b) ((a) > (b) ? (a) : (b)) /* long */
extern int prototype(int aaaa, int bbbb, int cccc);
int some_counter_variable_that_is_no_function = 0;
"""

CPP = """
namespace pumps::inner {
template <class T> class Pump : public Base {
public:
    explicit Pump(int size_of_the_pump, int other);
    ~Pump() override { release_everything_of_it(); }
    virtual bool start() const { return true; }
    bool operator==(const Pump& other_pump) const;
    template <class U> void convert(const U& from);
    struct Valve { void turn(int how_often, int why); };
};
}
template <class T> bool pumps::inner::Pump<T>::stop() const { std::lock_guard<std::mutex> lock(mutex_); return false; }
std::string& Gauge::read(int where, int how) { return s; }
namespace { void hidden(int parameter_of_it, int x); }
enum class Kind { One, Two, Three, Four, Five, Six };
template <class T> using Pointer = std::shared_ptr<T>;
template <class T> concept Small = sizeof(T) < 4 + 8;
"""

CSHARP = """using System.Collections.Generic.Something;
namespace Acme.Pumps;
[Serializable] public class Pump<T> : Base {
    public int SizeOfThePumpInBar { get; set; }
    public Pump(int size) { this.Size = size + 1; }
    public bool Start() { int Local(int x) => x + 1_000_000_000; return true; }
    struct Valve { void Turn(int howOften, int why) { } }
}
record Pair(int First, int Second, int Third);
interface IRun { bool StartItSlowlyAtFirst(); }
enum Kind { One, Two, Three, Four, Five, Six }
delegate void Handler(int first, int second);
"""

RUBY = """
require 'something_that_is_long_enough'
module Pumps
  class Gauge::Pump < Base
    attr_reader :size, :pressure, :and_more_of_them
    def start; "long enough to stand alone"; end
    def self.make(x) = new(x, "long enough to stand")
    class << self
      def other; "long enough to stand alone"; end
    end
  end
end
def helper(a) = a + "long enough to stand"
"""

SAMPLES = {
    "rs": (RUST,),
    "py": (PYTHON,),
    "php": (PHP, PHP_BLOCKS),
    "js": (JAVASCRIPT,),
    "ts": (TYPESCRIPT,),
    "tsx": (TSX, TYPESCRIPT),
    "go": (GO,),
    "java": (JAVA,),
    "c": (C,),
    "cpp": (CPP, C),
    "cs": (CSHARP,),
    "rb": (RUBY,),
}
"""By the parser that reads them."""
