//! Whether a text is in another language than English, the only one whose statements are read.
//! Which language it is stays out.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::words::WordSet;

/// So much of a text is looked at, in characters.
const LOOKED_AT: usize = 2000;
/// Letters of another script that a text may hold as names and quotes, one in so many.
const FEW: usize = 4;

/// Words that hardly any sentence of their language goes without, and no English one holds.
static FOREIGN: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::of(
        "der das und ist nicht ein eine einen einer mit für auf noch wurde wird werden sind alle jetzt ich \
    el la los las en un una que está están con por para pero todas queda quedan del \
    le les des une est pas dans avec sur qui sont reste tous toutes ne du il \
    não uma são ainda há foi mas \
    het een niet zijn nog van alle werkt \
    gli sono tutti che non della \
    nie jest się wszystkie",
    )
});
/// Words that hardly any English sentence goes without.
static ENGLISH: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::of("the is are was were and of to that with for not it this i now have has been all but")
});

/// True for a text that is surely not English. Code counts as no language; single words are taken for English.
pub fn is_foreign(text: &str) -> bool {
    let (mut latin, mut other) = (0_usize, 0_usize);
    for letter in text.chars().take(LOOKED_AT).filter(|c| c.is_alphabetic()) {
        // Latin letters end with U+024F; accents and modifiers beyond are rare.
        if letter <= '\u{24f}' {
            latin += 1;
        } else {
            other += 1;
        }
    }
    if other > 0 && other * FEW >= latin {
        return true;
    }
    let (mut foreign, mut english) = (0_usize, 0_usize);
    let looked_at = &text[..text.floor_char_boundary(LOOKED_AT)];
    for word in looked_at
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let lower: Cow<'_, str> = if word
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        {
            word.into()
        } else {
            word.to_lowercase().into()
        };
        foreign += usize::from(FOREIGN.contains(&lower));
        english += usize::from(ENGLISH.contains(&lower));
    }
    foreign >= 2 && foreign > english
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_told_from_what_is_not() {
        for (text, foreign) in [
            ("", false),
            ("Done.", false),
            ("Fertig.", false),
            ("All tests pass.", false),
            ("Fixed `der`, `das` and the rest of the German words.", false),
            ("I renamed naïve to resumé in café.rs, and it is fine.", false),
            ("Added the label テスト to the menu.", false),
            ("Ein Test ist rot.", true),
            ("Es schlägt noch ein Test fehl: test_x.", true),
            ("Queda un test fallando en la suite, los otros están bien.", true),
            ("Il reste un test en échec dans la suite.", true),
            ("Ainda há um teste falhando.", true),
            ("テストが1件失敗しています。", true),
            ("测试有一个失败了。", true),
            ("Один тест падает: test_x.", true),
        ] {
            assert_eq!(is_foreign(text), foreign, "{text}");
        }
    }
}
