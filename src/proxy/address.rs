//! Which addresses lie in the public network. Checked after a name was resolved, because a name
//! proves nothing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Blocks of IPv4 that are not the public network: first address, prefix length, what they are.
#[rustfmt::skip]
const CLOSED_4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::UNSPECIFIED, 8, "this host"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "carrier NAT, and a cloud's metadata (100.100.100.200)"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(168, 63, 129, 16), 32, "a cloud's metadata in the middle of public addresses"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local, and most clouds' metadata (169.254.169.254)"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments, and a cloud's metadata (192.0.0.192)"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "relays to IPv6"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarks"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 3, "multicast, reserved, broadcast"),
];

/// Of IPv6 only `2000::/3` is public, without these blocks. Loopback, mapped IPv4
/// (`::ffff:0:0/96`), link-local, unique local addresses and multicast lie outside of it.
#[rustfmt::skip]
const CLOSED_6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "assignments: Teredo carries an IPv4 address"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "6to4 carries an IPv4 address"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation"),
];

/// Translates to the IPv4 address in its last 32 bits, on networks that have IPv6 only.
const NAT64: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);

/// Whether `address` lies in the public network.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_4(address),
        IpAddr::V6(address) => is_public_6(address),
    }
}

fn is_public_4(address: Ipv4Addr) -> bool {
    let inside = |&(block, length, _): &(Ipv4Addr, u32, &str)| {
        (address.to_bits() ^ block.to_bits()) >> (Ipv4Addr::BITS - length) == 0
    };
    !CLOSED_4.iter().any(inside)
}

fn is_public_6(address: Ipv6Addr) -> bool {
    let inside = |block: Ipv6Addr, length: u32| {
        (address.to_bits() ^ block.to_bits()) >> (Ipv6Addr::BITS - length) == 0
    };
    if inside(NAT64, 96) {
        let [.., a, b, c, d] = address.octets();
        return is_public_4(Ipv4Addr::new(a, b, c, d));
    }
    let global = Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0);
    inside(global, 3) && !CLOSED_6.iter().any(|&(block, length, _)| inside(block, length))
}
