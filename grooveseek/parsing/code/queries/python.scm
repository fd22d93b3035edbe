; Beside tree-sitter-python's tags: decorators stand around what they decorate.

(decorated_definition definition: (class_definition name: (identifier) @name)) @definition.class
(decorated_definition definition: (function_definition name: (identifier) @name)) @definition.function
