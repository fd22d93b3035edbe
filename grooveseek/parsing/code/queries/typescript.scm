; TypeScript and TSX alone, beside their own tags and JavaScript's.

(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @definition.method

(internal_module name: (_) @name) @definition.module
(enum_declaration name: (identifier) @name) @definition.type
(type_alias_declaration name: (type_identifier) @name) @definition.type

(export_statement declaration: (abstract_class_declaration name: (type_identifier) @name)) @definition.class
(export_statement declaration: (interface_declaration name: (type_identifier) @name)) @definition.interface
(export_statement declaration: (internal_module name: (_) @name)) @definition.module
(export_statement declaration: (enum_declaration name: (identifier) @name)) @definition.type
(export_statement declaration: (type_alias_declaration name: (type_identifier) @name)) @definition.type
(export_statement declaration: (function_signature name: (identifier) @name)) @definition.function

(expression_statement (internal_module name: (_) @name)) @definition.module

(ambient_declaration (class_declaration name: (_) @name)) @definition.class
(ambient_declaration (abstract_class_declaration name: (_) @name)) @definition.class
(ambient_declaration (interface_declaration name: (_) @name)) @definition.interface
(ambient_declaration (internal_module name: (_) @name)) @definition.module
(ambient_declaration (module name: (_) @name)) @definition.module
(ambient_declaration (enum_declaration name: (_) @name)) @definition.type
(ambient_declaration (type_alias_declaration name: (_) @name)) @definition.type
(ambient_declaration (function_signature name: (_) @name)) @definition.function
(export_statement declaration: (ambient_declaration (class_declaration name: (_) @name))) @definition.class
(export_statement declaration: (ambient_declaration (abstract_class_declaration name: (_) @name))) @definition.class
(export_statement declaration: (ambient_declaration (internal_module name: (_) @name))) @definition.module
(export_statement declaration: (ambient_declaration (enum_declaration name: (_) @name))) @definition.type
(export_statement declaration: (ambient_declaration (type_alias_declaration name: (_) @name))) @definition.type
(export_statement declaration: (ambient_declaration (function_signature name: (_) @name))) @definition.function
