; Beside tree-sitter-python's tags: decorators stand around what they decorate, a constant's docs below it.

(decorated_definition definition: (class_definition name: (identifier) @name)) @definition.class
(decorated_definition definition: (function_definition name: (identifier) @name)) @definition.function

(module (expression_statement (string)) @below)
