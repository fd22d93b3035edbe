; Beside tree-sitter-php's tags. A namespace without braces names all that follows it.

(enum_declaration name: (name) @name) @definition.class
(namespace_definition name: (namespace_name) @name !body) @scope.file
