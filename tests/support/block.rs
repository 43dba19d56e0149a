//! Parts of a document that a program writes, between a `begin` and an `end` mark.

/// The document with the block of that name replaced; None when a mark is missing.
pub fn with_block(document: &str, name: &str, block: &str) -> Option<String> {
    let begin = document.find(&format!("<!-- {name}:begin"))?;
    let begin = begin + document[begin..].find("-->")? + "-->".len();
    let end = begin + document[begin..].find(&format!("<!-- {name}:end -->"))?;
    Some(format!("{}\n{block}{}", &document[..begin], &document[end..]))
}

#[test]
fn only_what_is_between_the_marks_is_replaced() {
    let document = "a\n<!-- b:begin, say so -->\nold\n<!-- b:end -->\nc";
    assert_eq!(with_block(document, "b", "new\n").unwrap(), "a\n<!-- b:begin, say so -->\nnew\n<!-- b:end -->\nc");
    assert_eq!(with_block(document, "c", "new"), None);
    assert_eq!(with_block("<!-- b:end --><!-- b:begin -->", "b", "new"), None);
}
