//! Lessons of the page by the commands that they run, and recipes on plain commands by the LATCH commands that replace them.

use keylatch::session;

use super::shown::{Use, is_run, uses_in};
use super::tree::{self, File};

const RECIPES: &str = include_str!("../../docs/recipes.md");

pub struct Lessons {
    lessons: Vec<Lesson>,
    recipes: Vec<Recipe>,
}

struct Lesson {
    title: String,
    /// From the root of the repository.
    path: String,
    text: String,
    requests: Vec<String>,
}

/// A row of docs/recipes.md.
pub struct Recipe {
    pub title: String,
    /// From the root of the repository.
    pub path: String,
    /// Its form with LATCH commands, as Markdown.
    latch_form: String,
}

impl Lessons {
    pub fn read() -> Lessons {
        let files = tree::files("www/lessons", &["session"]).into_iter();
        let is_lesson = |file: &File| !file.path.contains("/races/");
        Lessons {
            lessons: files.filter(is_lesson).map(lesson).collect(),
            recipes: RECIPES.lines().filter_map(recipe).collect(),
        }
    }

    /// Titles and paths of the lessons that run a command, in reading order.
    pub fn using<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let runs = move |lesson: &&Lesson| lesson.requests.iter().any(|request| is_run(request, name));
        self.lessons.iter().filter(runs).map(|lesson| (lesson.title.as_str(), lesson.path.as_str()))
    }

    /// Uses of a command in all lessons, in reading order.
    pub fn uses(&self, name: &str) -> Vec<Use> {
        self.lessons.iter().flat_map(|lesson| uses_in(&lesson.path, &lesson.text, name)).collect()
    }

    /// Recipes that a LATCH command replaces, by their LATCH form.
    pub fn recipes_for(&self, name: &str) -> Vec<&Recipe> {
        let is_form = |recipe: &&Recipe| recipe.latch_form.split('`').any(|code| code.split(' ').next() == Some(name));
        self.recipes.iter().filter(is_form).collect()
    }
}

fn lesson(File { path, text }: File) -> Lesson {
    let session = session::parse(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let heading = text.lines().find_map(|line| line.strip_prefix("## ")).unwrap_or(&path);
    Lesson {
        title: capitalized(heading.trim_start_matches("Recipe: ").trim_start_matches("Task: ")),
        requests: session.actions.into_iter().map(|action| action.text).collect(),
        path,
        text,
    }
}

fn capitalized(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// `| [Title](../PATH) | plain commands | guarantee | LATCH form | reason |`
fn recipe(line: &str) -> Option<Recipe> {
    let (title, rest) = line.strip_prefix("| [")?.split_once("](../")?;
    let (path, cells) = rest.split_once(") | ")?;
    let latch_form = cells.split(" | ").nth(2)?.to_owned();
    Some(Recipe { title: title.to_owned(), path: path.to_owned(), latch_form })
}

#[test]
fn recipes_replace_latch_commands_and_lessons_use_commands() {
    let lessons = Lessons::read();
    let titles = |name: &str| lessons.recipes_for(name).iter().map(|recipe| recipe.title.clone()).collect::<Vec<_>>();
    assert_eq!(titles("LATCH.ARRIVE"), ["Barrier"]);
    assert!(titles("LATCH.ACQUIRE").contains(&"Redlock".to_owned()));
    assert!(titles("GET").is_empty());
    let using: Vec<&str> = lessons.using("SETNX").map(|(_, path)| path).collect();
    assert_eq!(using.first(), Some(&"www/lessons/01-setnx-basics.session"));
}
