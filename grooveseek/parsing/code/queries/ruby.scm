; Beside tree-sitter-ruby's tags: what stands in front of the last name in `class A::B`.

(class name: (scope_resolution scope: (_) @receiver name: (_) @name)) @definition.class
(module name: (scope_resolution scope: (_) @receiver name: (_) @name)) @definition.module
