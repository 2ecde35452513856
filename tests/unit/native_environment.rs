//! Unit tests of `src/native/environment.rs`, whose child this module is.

#![expect(clippy::expect_used, reason = "a test without its files fails")]

use super::Environment;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A Python of `version` in a prefix of its own, and a venv on it.
struct Made {
    folder: TempDir,
}

impl Made {
    fn new(version: &str) -> Self {
        let made = Self { folder: tempfile::tempdir().expect("a directory") };
        made.put(&format!("python/bin/python{version}"), "");
        made.put(&format!("python/lib/python{version}/os.py"), "");
        made.put(&format!("python/lib/python{version}/site-packages/base.py"), "");
        made.put(&format!("venv/lib/python{version}/site-packages/own.py"), "");
        made.put("venv/secret.txt", "not a package");
        made.settings(&format!("home = {}\nversion = {version}.1\n", made.path("python/bin")));
        fs::create_dir_all(made.at("venv/bin")).expect("a directory");
        made.link(&format!("python{version}"), "python/bin/python3");
        made.link(&made.path("python/bin/python3"), "venv/bin/python3");
        made
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there").join(path)
    }

    fn path(&self, path: &str) -> String {
        self.at(path).display().to_string()
    }

    fn put(&self, path: &str, content: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
        fs::write(path, content).expect("a file");
    }

    fn link(&self, to: &str, path: &str) {
        symlink(to, self.at(path)).expect("a link");
    }

    fn settings(&self, text: &str) {
        self.put("venv/pyvenv.cfg", text);
    }

    /// Everything that jobs could read of it, relative to the folder.
    fn open(&self, root: &str) -> Vec<String> {
        let found = Environment::find(&self.at(root)).expect("an environment");
        let layout = found.layout(Path::new("/bootstrap"));
        let all = layout.packages.into_iter().chain(layout.library).chain([layout.interpreter]);
        let here = self.at("");
        all.map(|path| path.strip_prefix(&here).expect("in here").display().to_string()).collect()
    }

    fn refusal(&self) -> String {
        Environment::find(&self.at("venv")).expect_err("no environment").to_string()
    }
}

#[test]
fn a_venv_is_open_where_its_packages_and_its_python_are() {
    for version in ["3.11", "3.12", "3.13", "3.14"] {
        let made = Made::new(version);
        let site = format!("venv/lib/python{version}/site-packages");
        let interpreter = format!("python/bin/python{version}");
        let expected = [site.as_str(), "venv/pyvenv.cfg", "python/lib", &interpreter];
        assert_eq!(made.open("venv"), expected);
    }
}

#[test]
fn a_venv_may_take_in_the_packages_below_it() {
    let made = Made::new("3.13");
    made.settings(&format!(
        "Home={}\ninclude-system-site-packages = true\n",
        made.path("python/bin")
    ));
    assert!(made.open("venv").contains(&"python/lib/python3.13/site-packages".to_owned()));
    // One that names no home stands on what its interpreter belongs to.
    made.settings("");
    assert!(made.open("venv").contains(&"python/lib".to_owned()));
}

#[test]
fn a_prefix_is_an_environment_of_its_own() {
    let made = Made::new("3.12");
    let expected = ["python/lib/python3.12/site-packages", "python/lib", "python/bin/python3.12"];
    assert_eq!(made.open("python"), expected);
}

#[test]
fn a_shared_prefix_is_not_open_as_a_whole() {
    let made = Made::new("3.11");
    fs::rename(made.at("python"), made.at(".local")).expect("renamed");
    made.put(".local/lib/libpython3.11.so.1.0", "");
    made.put(".local/lib/others/secret", "");
    let expected = [
        ".local/lib/python3.11/site-packages",
        ".local/lib/python3.11",
        ".local/lib/libpython3.11.so.1.0",
        ".local/bin/python3.11",
    ];
    assert_eq!(made.open(".local"), expected);
}

#[test]
fn other_versions_are_refused() {
    for version in ["3.10", "3.15", "3.9", "3.13t", "3.1311111111111"] {
        let said = Made::new(version).refusal();
        let found = format!("is {version};");
        assert!(said.contains("CPython 3.11 to 3.14") && said.contains(&found), "{said}");
    }
}

#[test]
fn what_is_broken_says_how() {
    let made = Made::new("3.13");
    let site = made.at("venv/lib/python3.13");
    fs::rename(&site, made.at("venv/lib/python3.12")).expect("renamed");
    assert!(made.refusal().contains("made for another Python"), "{}", made.refusal());
    fs::remove_dir_all(made.at("python/lib")).expect("removed");
    assert!(made.refusal().contains("no standard library"), "{}", made.refusal());
    fs::remove_file(made.at("python/bin/python3.13")).expect("removed");
    assert!(made.refusal().contains("no Python at"), "{}", made.refusal());
}

#[test]
fn the_version_is_found_where_the_interpreter_does_not_name_it() {
    let made = Made::new("3.13");
    let plain = made.at("python/bin/python3");
    fs::remove_file(&plain).expect("removed");
    fs::rename(made.at("python/bin/python3.13"), &plain).expect("renamed");
    for said in ["version_info = 3.13.2.final.0", "version = 3.13.2", "other = 1"] {
        made.settings(said);
        assert_eq!(Environment::find(&made.at("venv")).expect("found").version(), "3.13", "{said}");
    }
}
