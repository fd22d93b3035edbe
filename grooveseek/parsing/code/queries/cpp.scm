; In place of tree-sitter-cpp's tags, which capture a function's declarator and not the function. Stands in front of c.scm,
; so that what is defined in a class is a method.

(field_declaration_list (field_declaration) @definition.method)
(field_declaration_list (declaration) @definition.method)
(field_declaration_list (function_definition) @definition.method)
(field_declaration_list (template_declaration (function_definition)) @definition.method)
(field_declaration_list (template_declaration (declaration)) @definition.method)
(template_declaration (function_definition)) @definition.function
(template_declaration (declaration)) @definition.function
(template_declaration (template_declaration (function_definition))) @definition.function

(function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name) @declares
(function_declarator declarator: (template_function name: (identifier) @name)) @declares
(operator_cast) @name @declares

(function_declarator
  declarator: (qualified_identifier
    scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)]
    name: [(identifier) (destructor_name) (operator_name)] @name)) @declares
(function_declarator
  declarator: (qualified_identifier
    scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)]
    name: (qualified_identifier
      scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)]
      name: [(identifier) (destructor_name) (operator_name)] @name))) @declares
(function_declarator
  declarator: (qualified_identifier
    scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)]
    name: (qualified_identifier
      scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)]
      name: (qualified_identifier
        scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)]
        name: [(identifier) (destructor_name) (operator_name)] @name)))) @declares

(namespace_definition name: (_) @name) @definition.module
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.class
(declaration type: (class_specifier name: (type_identifier) @name body: (_))) @definition.class
(template_declaration (class_specifier name: (type_identifier) @name body: (_))) @definition.class
(template_declaration (struct_specifier name: (type_identifier) @name body: (_))) @definition.class
(template_declaration (union_specifier name: (type_identifier) @name body: (_))) @definition.class
(template_declaration
  (class_specifier name: (template_type name: (type_identifier) @name) body: (_))) @definition.class
(template_declaration
  (struct_specifier name: (template_type name: (type_identifier) @name) body: (_))) @definition.class

(alias_declaration name: (type_identifier) @name) @definition.type
(template_declaration (alias_declaration name: (type_identifier) @name)) @definition.type
(concept_definition name: (identifier) @name) @definition.type
(template_declaration (concept_definition name: (identifier) @name)) @definition.type
