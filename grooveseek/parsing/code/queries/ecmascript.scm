; For JavaScript, TypeScript and TSX, beside tree-sitter-javascript's tags: whole statements, constructors, and what a
; function is assigned to.

(method_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.method

(export_statement declaration: (class_declaration name: (_) @name)) @definition.class
(export_statement
  declaration: [
    (function_declaration name: (identifier) @name)
    (generator_function_declaration name: (identifier) @name)
  ]) @definition.function

(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)])) @definition.function
(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)])) @definition.function
(export_statement
  declaration: (lexical_declaration
    (variable_declarator
      name: (identifier) @name
      value: [(arrow_function) (function_expression) (generator_function)]))) @definition.function

(expression_statement
  (assignment_expression
    left: [
      (identifier) @name
      (member_expression property: (property_identifier) @name)
    ]
    right: [(arrow_function) (function_expression)])) @definition.function

(assignment_expression
  left: (member_expression
    object: (identifier) @receiver
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]
  (#not-eq? @receiver "exports")) @definition.function
(assignment_expression
  left: (member_expression
    object: (member_expression
      object: (identifier) @receiver
      property: (property_identifier) @_property)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]
  (#eq? @_property "prototype")) @definition.function

(variable_declarator name: (identifier) @name value: (object)) @scope
