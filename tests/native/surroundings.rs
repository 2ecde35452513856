//! What a job finds: its directories, its environment, its descriptors.

use super::harness::{plain, scientific};
use mcp_python_sandbox::testing::Limits;
use std::fs;
use tokio_util::sync::CancellationToken;

#[test]
fn the_environment_is_clean() {
    let code = "
import os
for name in sorted(os.environ): print(name)
print(os.path.isdir(os.environ['HOME']), os.access(os.environ['HOME'], os.W_OK))
";
    let out = plain().run(code).ok();
    let expected = "HOME\nJOBLIB_MULTIPROCESSING\nLANG\nLOGNAME\nMKL_NUM_THREADS\nMPLBACKEND\nMPLCONFIGDIR\n\
                    NUMEXPR_NUM_THREADS\nOMP_NUM_THREADS\nOPENBLAS_NUM_THREADS\nPATH\nPWD\nTERM\nTMPDIR\nUSER\nTrue True\n";
    assert_eq!(out, expected);
}

#[test]
fn only_the_streams_and_harmless_descriptors_are_open() {
    let code = "
import os, stat
for fd in range(3, 1024):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    print(fd, stat.S_ISSOCK(mode), stat.S_ISDIR(mode))
";
    let out = plain().run(code).ok();
    assert!(!out.contains("True"), "{out}");
    // The bootstrap's copy of stdout, and the file whose rule Landlock keeps.
    assert!(out.lines().count() <= 2, "{out}");
}

#[test]
fn standard_input_is_empty() {
    assert_eq!(plain().run("import sys; print(repr(sys.stdin.read()))").ok(), "''\n");
}

#[test]
fn files_that_a_job_wrote_are_listed_and_links_are_not() {
    let sandbox = plain();
    let dir = sandbox.native.job_dir(None).expect("a job directory");
    fs::write(dir.data().join("given.txt"), "given").expect("a file");
    fs::write(dir.data().join("kept.txt"), "kept").expect("a file");
    let code = "
import os
print(sorted(os.listdir()))
open('new.txt', 'w').write('12345')
os.makedirs('a/b')
open('a/b/deep.txt', 'w').write('1')
open('given.txt', 'a').write(' and changed')
os.symlink('/etc/passwd', 'link.png')
os.symlink('/', 'root')
";
    let ran = sandbox.block_on(sandbox.start_in(
        dir,
        code,
        &Limits::default(),
        &CancellationToken::new(),
    ));
    assert_eq!(ran.ok(), "['given.txt', 'kept.txt']\n");
    let files: Vec<_> = ran.files.iter().map(|file| (file.path.as_str(), file.size)).collect();
    assert_eq!(files, [("a/b/deep.txt", 1), ("given.txt", 17), ("new.txt", 5)]);
}

#[test]
fn a_session_keeps_its_directory() {
    let sandbox = plain();
    let session = tempfile::tempdir_in(sandbox.runtime_dir()).expect("a directory");
    let (limits, cancel) = (Limits::default(), CancellationToken::new());
    for (code, expected) in
        [("_ = open('x', 'w').write('1')", ""), ("print(open('x').read())", "1\n")]
    {
        let dir = sandbox.native.job_dir(Some(session.path().to_owned())).expect("a job directory");
        assert_eq!(sandbox.block_on(sandbox.start_in(dir, code, &limits, &cancel)).ok(), expected);
    }
}

#[test]
fn honest_code_does_not_notice_that_modes_and_times_cannot_be_changed() {
    let code = "
import os, pathlib, shutil, tarfile, tempfile, zipfile
open('a.txt', 'w').write('a')
shutil.copy('a.txt', 'b.txt'); shutil.copy2('a.txt', 'c.txt')
os.mkdir('d'); shutil.copy2('a.txt', 'd'); shutil.copytree('d', 'e')
pathlib.Path('a.txt').touch(); pathlib.Path('f').touch(); pathlib.Path('a.txt').chmod(0o600)
os.chmod('/mnt/data/a.txt', 0o644); os.utime('a.txt', (1, 1))
with tarfile.open('t.tar.gz', 'w:gz') as tar: tar.add('d')
with tarfile.open('t.tar.gz') as tar: tar.extractall('g', filter='data')
with zipfile.ZipFile('z.zip', 'w') as archive: archive.write('a.txt')
with zipfile.ZipFile('z.zip') as archive: archive.extractall('h')
shutil.move('a.txt', os.path.join(tempfile.mkdtemp(), 'moved'))
shutil.make_archive('all', 'zip', 'd'); shutil.rmtree('e')
print(sorted(os.listdir()))
try:
    os.chmod(os.__file__, 0o777)
except PermissionError as error:
    print('elsewhere', error.errno)
";
    let expected =
        "['all.zip', 'b.txt', 'c.txt', 'd', 'f', 'g', 'h', 't.tar.gz', 'z.zip']\nelsewhere 1\n";
    assert_eq!(plain().run(code).ok(), expected);
}

#[test]
fn random_numbers_differ_between_jobs() {
    let code = "
import numpy as np, random, uuid, tempfile
print(np.random.rand(), np.random.default_rng().random(), random.random(), uuid.uuid4(), tempfile.mktemp())
";
    let (one, other) = (scientific().run(code).ok(), scientific().run(code).ok());
    for (a, b) in one.split_whitespace().zip(other.split_whitespace()) {
        assert_ne!(a, b);
    }
}

#[test]
fn a_job_leaves_nothing_to_the_next_one() {
    let sandbox = scientific();
    sandbox.run("import matplotlib.pyplot as plt, builtins; plt.plot([1, 2]); builtins.trace = 1; open('x', 'w')").ok();
    let code = "
import builtins, os, matplotlib.pyplot as plt
print(plt.get_fignums(), hasattr(builtins, 'trace'), os.listdir(), os.listdir(os.environ['TMPDIR']))
";
    assert_eq!(sandbox.run(code).ok(), "[] False [] []\n");
}

#[test]
fn its_own_maps_are_the_one_file_of_proc() {
    let code = "
print('python' in open('/proc/self/maps').read())
try:
    open('/proc/self/status')
except PermissionError as error:
    print(error.errno)
";
    assert_eq!(plain().run(code).ok(), "True\n13\n");
}

#[test]
fn matplotlib_has_a_writable_place_and_keeps_quiet() {
    let code = "
import os, matplotlib
print(os.access(matplotlib.get_configdir(), os.W_OK), os.access(matplotlib.get_cachedir(), os.W_OK))
print(matplotlib.get_configdir().startswith(os.environ['MPLCONFIGDIR']))
";
    let ran = scientific().run(code);
    assert_eq!(ran.ok(), "True True\nTrue\n");
    assert!(ran.captured.stderr.is_empty(), "{ran:?}");
}

#[test]
fn the_job_has_a_name_although_the_files_of_users_are_out_of_reach() {
    let code = "
import getpass, grp, os, pathlib, pwd
me = pwd.getpwuid(os.getuid())
print(me.pw_name, me.pw_uid == os.getuid(), me.pw_dir == os.environ['HOME'], pwd.getpwnam('sandbox') == me)
print(grp.getgrgid(os.getgid()).gr_name, os.getlogin(), getpass.getuser())
open('a', 'w').close()
print(pathlib.Path('a').owner(), pathlib.Path('a').group())
for unknown in (lambda: pwd.getpwuid(54321), lambda: pwd.getpwnam('nobody-such'), lambda: open('/etc/passwd')):
    try:
        unknown()
    except (KeyError, PermissionError) as error:
        print(type(error).__name__)
";
    let expected = "sandbox True True True\nsandbox sandbox sandbox\nsandbox sandbox\nKeyError\nKeyError\nPermissionError\n";
    assert_eq!(plain().run(code).ok(), expected);
}
