; In place of tree-sitter-c's tags, which capture a function's declarator and not the function.
; @declares gives its name to the nameless definitions around it; one that gets none is no definition.

(function_definition) @definition.function
(translation_unit (declaration) @definition.function)
(declaration_list (declaration) @definition.function)
(preproc_ifdef (declaration) @definition.function)
(preproc_if (declaration) @definition.function)
(preproc_else (declaration) @definition.function)
(preproc_elif (declaration) @definition.function)

(function_declarator declarator: (identifier) @name) @declares
(function_declarator declarator: (parenthesized_declarator (identifier) @name)) @declares

(struct_specifier name: (type_identifier) @name body: (_)) @definition.class
(union_specifier name: (type_identifier) @name body: (_)) @definition.class
(enum_specifier name: (type_identifier) @name body: (_)) @definition.type
(declaration type: (struct_specifier name: (type_identifier) @name body: (_))) @definition.class
(declaration type: (union_specifier name: (type_identifier) @name body: (_))) @definition.class
(declaration type: (enum_specifier name: (type_identifier) @name body: (_))) @definition.type

(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition
  declarator: (function_declarator
    declarator: (parenthesized_declarator
      (pointer_declarator declarator: (type_identifier) @name)))) @definition.type

(preproc_function_def name: (identifier) @name) @definition.macro
