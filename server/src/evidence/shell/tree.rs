//! Ways through a syntax tree that take neither recursion nor a second look at a node.
//! What the nodes mean stays out.

use tree_sitter::Node;

/// Calls `enter` on a node and on all within it, in order, but not below those where it says no. Returns how many nodes
/// it was called on.
pub(in crate::evidence) fn visit<'t>(top: Node<'t>, mut enter: impl FnMut(Node<'t>) -> bool) -> usize {
    let mut visited = 0;
    let mut cursor = top.walk();
    loop {
        visited += 1;
        if enter(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return visited;
            }
        }
    }
}

/// The parts of an `if` or an `elif`.
pub(in crate::evidence) struct Branch<'t> {
    /// What is asked.
    pub(in crate::evidence) condition: Vec<Node<'t>>,
    /// What is done then.
    pub(in crate::evidence) body: Vec<Node<'t>>,
    /// The `elif` and `else` behind it.
    pub(in crate::evidence) others: Vec<Node<'t>>,
}

/// The parts of an `if` or an `elif`: the grammar tells its condition from its body by the `then` between alone.
pub(in crate::evidence) fn branch(node: Node<'_>) -> Branch<'_> {
    let (mut condition, mut body, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut then = false;
    for child in node.children(&mut node.walk()) {
        match child.kind() {
            "then" => then = true,
            "elif_clause" | "else_clause" => others.push(child),
            _ if !child.is_named() => {}
            _ if then => body.push(child),
            _ => condition.push(child),
        }
    }
    Branch {
        condition,
        body,
        others,
    }
}

/// A node's children that are no mere tokens.
pub(in crate::evidence) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

/// A node's children, each with the name of its place.
pub(in crate::evidence) fn with_fields(node: Node<'_>) -> Vec<(Node<'_>, Option<&str>)> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    if cursor.goto_first_child() {
        loop {
            found.push((cursor.node(), cursor.field_name()));
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    found
}
