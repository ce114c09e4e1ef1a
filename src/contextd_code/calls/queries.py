"""Tree-sitter queries of each language family, by the extraction step they feed."""

from __future__ import annotations

from collections.abc import Mapping

_PYTHON = """
(class_definition) @class
(function_definition) @function
(decorator) @decorator
(assignment) @assign
(named_expression) @assign
(for_statement) @loop
(for_in_clause) @loop
(with_item) @with
(call) @call
(return_statement) @return
(yield) @yield
(type) @annotation
(pair) @pair
(attribute) @mention
(if_statement consequence: (_) @narrow)
(elif_clause consequence: (_) @narrow)
(conditional_expression . (_) @narrow)
(boolean_operator operator: "and" right: (_) @narrow)
(list_comprehension body: (_) @narrow (if_clause))
(set_comprehension body: (_) @narrow (if_clause))
(dictionary_comprehension body: (_) @narrow (if_clause))
(generator_expression body: (_) @narrow (if_clause))
(import_from_statement) @import
(import_statement) @import
(block (assert_statement) . (_) @rest)
(block (if_statement) . (_) @rest)
"""

_JAVASCRIPT = """
(class_declaration) @class
(class) @class
(function_declaration) @function
(function_expression) @function
(generator_function_declaration) @function
(generator_function) @function
(arrow_function) @function
(method_definition) @function
(decorator) @decorator
(variable_declarator) @assign
(assignment_expression) @assign
(for_in_statement) @loop
(call_expression) @call
(new_expression) @call
(return_statement) @return
(pair) @pair
(member_expression) @mention
(program (export_statement value: (_) @default))
(statement_block (lexical_declaration)) @lexical
(for_statement initializer: (lexical_declaration)) @lexical
(for_in_statement kind: _) @lexical
(catch_clause parameter: (_)) @caught
(if_statement consequence: (_) @narrow)
(ternary_expression consequence: (_) @narrow)
(binary_expression operator: "&&" right: (_) @narrow)
"""
_JSX = """
(jsx_opening_element) @element
(jsx_self_closing_element) @element
"""
_TYPESCRIPT = """
(abstract_class_declaration) @class
(interface_declaration) @class
(public_field_definition) @field
(property_signature) @field
(method_signature) @function
(abstract_method_signature) @function
(call_signature) @function
(type_alias_declaration) @alias
(type_alias_declaration value: (object_type)) @class
(type_annotation) @annotation
"""

_GO = """
(type_spec) @class
(function_declaration) @function
(method_declaration) @function
(func_literal) @function
(method_elem) @function
(type_elem) @field
(field_declaration) @field
(short_var_declaration) @assign
(var_spec) @assign
(call_expression) @call
(type_conversion_expression) @call
(composite_literal) @call
(range_clause) @loop
(return_statement) @return
(selector_expression) @mention
(block (statement_list (short_var_declaration))) @lexical
(block (statement_list (var_declaration))) @lexical
(for_statement (range_clause)) @lexical
(for_statement (for_clause)) @lexical
(if_statement initializer: (_)) @lexical
(expression_switch_statement initializer: (_)) @lexical
(type_switch_statement initializer: (_)) @lexical
(expression_case (statement_list (short_var_declaration))) @lexical
(communication_case) @lexical
(type_case) @case
(type_switch_statement (default_case) @case)
"""

_JAVA = """
(class_declaration) @class
(interface_declaration) @class
(record_declaration) @class
(enum_declaration) @class
(method_declaration) @function
(constructor_declaration) @function
(compact_constructor_declaration) @function
(annotation_type_declaration) @class
(annotation_type_element_declaration) @function
(object_creation_expression (class_body) @anonymous)
(enum_constant (class_body) @anonymous)
(enum_constant) @variants
(lambda_expression) @lambda
(block) @block
(instanceof_expression) @pattern
(type_pattern) @pattern
(catch_formal_parameter) @pattern
(record_declaration parameters: (formal_parameters) @components)
(field_declaration) @field
(local_variable_declaration) @assign
(enhanced_for_statement) @assign
(resource) @assign
(assignment_expression) @assign
(method_invocation) @call
(object_creation_expression) @call
(explicit_constructor_invocation) @construct
(method_reference) @reference
(return_statement) @return
"""

_RUST = """
(struct_item) @class
(enum_item) @class
(union_item) @class
(trait_item) @class
(mod_item body: (_)) @class
(impl_item) @impl
(function_item) @function
(function_signature_item) @function
(closure_expression) @lambda
(field_declaration) @field
(struct_item body: (ordered_field_declaration_list)) @variants
(enum_variant) @variants
(type_item) @alias
(let_declaration) @let
(let_condition) @let
(match_arm) @arm
(for_expression) @walk
(block) @block
(call_expression) @call
(struct_expression) @call
"""

_C = """
(struct_specifier body: (_)) @c_class
(union_specifier body: (_)) @c_class
(function_definition) @c_function
(compound_statement) @c_block
(type_definition) @c_alias
(declaration) @c_declaration
(field_declaration) @c_declaration
(assignment_expression) @c_assign
(initializer_pair) @c_pair
(initializer_list) @c_listed
(call_expression) @c_call
(return_statement) @c_return
(preproc_def) @c_macro
(preproc_function_def) @c_macro
"""
_CPP = """
(class_specifier body: (_)) @c_class
(namespace_definition) @namespace
(lambda_expression) @c_lambda
(for_range_loop) @c_walk
(alias_declaration) @c_alias
(using_declaration) @using
(namespace_alias_definition) @using
(field_initializer) @initialised
(new_expression) @c_call
(compound_literal_expression) @c_call
"""

_PHP = """
(namespace_definition) @space
(namespace_use_declaration) @import
(class_declaration) @class
(interface_declaration) @class
(trait_declaration) @class
(enum_declaration) @class
(anonymous_class) @class
(function_definition) @function
(method_declaration) @function
(anonymous_function) @function
(arrow_function) @function
(property_declaration) @field
(enum_case) @case
(if_statement body: (_) @narrow)
(else_if_clause body: (_) @narrow)
(binary_expression operator: "&&" right: (_) @narrow)
(assignment_expression) @assign
(foreach_statement) @loop
(catch_clause) @catch
(member_call_expression) @call
(nullsafe_member_call_expression) @call
(scoped_call_expression) @call
(function_call_expression) @call
(object_creation_expression) @new
(class_constant_access_expression) @constant
(array_creation_expression) @listed
(return_statement) @return
"""

_CSHARP = """
(namespace_declaration) @space
(file_scoped_namespace_declaration) @space
(class_declaration) @class
(struct_declaration) @class
(record_declaration) @class
(interface_declaration) @class
(enum_declaration) @class
(method_declaration) @function
(constructor_declaration) @function
(operator_declaration) @function
(conversion_operator_declaration) @function
(indexer_declaration) @function
(local_function_statement) @function
(lambda_expression) @lambda
(accessor_declaration) @block
(property_declaration value: (arrow_expression_clause) @block)
(block) @block
(switch_section) @block
(variable_declaration) @declare
(property_declaration) @field
(enum_member_declaration) @case
(foreach_statement) @loop
(declaration_pattern) @pattern
(recursive_pattern) @pattern
(declaration_expression) @pattern
(catch_declaration) @pattern
(constructor_initializer) @construct
(invocation_expression) @call
(object_creation_expression) @new
(typeof_expression) @mention
(argument [(identifier) (member_access_expression)] @group)
(assignment_expression right: [(identifier) (member_access_expression)] @group)
(return_statement [(identifier) (member_access_expression)] @group)
(arrow_expression_clause [(identifier) (member_access_expression)] @group)
(variable_declarator [(identifier) (member_access_expression)] @group .)
"""

QUERIES: Mapping[str, Mapping[str, str]] = {
    "python": {"": _PYTHON},
    "ecmascript": {
        "": _JAVASCRIPT + _JSX + "(field_definition) @field",
        "typescript": _JAVASCRIPT + _TYPESCRIPT,
        "tsx": _JAVASCRIPT + _JSX + _TYPESCRIPT,
    },
    "go": {"": _GO},
    "java": {"": _JAVA},
    "rust": {"": _RUST},
    "c": {"": _C + _CPP, "c": _C},
    "php": {"": _PHP},
    "csharp": {"": _CSHARP},
}
"""By family, then by language where its grammar has other nodes than the family's."""
