//! Landlock rulesets: who may do what below which opened path. Never weaker than asked: whatever
//! the ABI in force has is handled, and a right or rule that the kernel does not take is an error.

use super::paths::{Opened, PathAccess};
use crate::native::error::{NativeError, failed};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort,
    PathBeneath, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError,
    Scope, make_bitflags,
};

/// Newest ABI whose rights this code knows and gives out on purpose.
pub(super) const NEWEST_ABI: u8 = 10;
pub(super) const FIRST_NETWORK_ABI: u8 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whom {
    /// The fork server: may start Python.
    ForkServer,
    Job,
}

/// A ruleset at `abi` (1 or more) that leaves open what `rules` name and, if there is one,
/// connections to the TCP `port`, and nothing else.
pub(super) fn ruleset<'a>(
    abi: u8,
    whom: Whom,
    rules: impl IntoIterator<Item = &'a Opened>,
    port: Option<u16>,
) -> Result<RulesetCreated, NativeError> {
    let abi = ABI::from(i32::from(abi));
    let mut created = handle_all(abi).map_err(failed("make the Landlock ruleset"))?;
    let for_whom =
        |rule: &&Opened| whom == Whom::ForkServer || rule.access != PathAccess::ForkServerOnly;
    for rule in rules.into_iter().filter(for_whom) {
        let beneath = PathBeneath::new(&rule.fd, rights(rule, whom, abi));
        created = created.add_rule(beneath).map_err(|e| NativeError::AtPath {
            what: "add the Landlock rule for",
            path: rule.path.clone(),
            source: e.into(),
        })?;
    }
    if let Some(port) = port {
        created = created
            .add_rule(NetPort::new(port, AccessNet::ConnectTcp))
            .map_err(failed("add the Landlock rule for the proxy's port"))?;
    }
    Ok(created)
}

/// What changing a directory needs.
const WRITE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    WriteFile | Truncate | MakeReg | MakeDir | RemoveFile | RemoveDir
});

fn handle_all(abi: ABI) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(abi))?;
    // From these ABIs on. Asking for an empty set of rights is an error to the crate.
    if abi >= ABI::V4 {
        ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
    }
    if abi >= ABI::V6 {
        ruleset = ruleset.scope(Scope::from_all(abi))?;
    }
    ruleset.create()
}

fn rights(rule: &Opened, whom: Whom, abi: ABI) -> BitFlags<AccessFs> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let wanted = match (rule.access, whom) {
        (PathAccess::Read | PathAccess::ForkServerOnly, _) | (PathAccess::Start, Whom::Job) => read,
        (PathAccess::Start, Whom::ForkServer) => read | AccessFs::Execute,
        (PathAccess::Device, _) => AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate,
        (PathAccess::Mount, _) => read | WRITE,
        (PathAccess::Work, _) => read | WRITE | AccessFs::MakeSym | AccessFs::Refer,
    };
    let known = if rule.is_directory { AccessFs::from_all(abi) } else { AccessFs::from_file(abi) };
    wanted & known
}
