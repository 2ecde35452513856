//! The proxy's decisions by themselves: which hosts, which addresses, which heads.

#![expect(clippy::panic, reason = "a test that cannot go on has failed")]

use mcp_python_sandbox::proxy::address::is_public;
use mcp_python_sandbox::proxy::head::{Ask, HttpRefusal, MAX_HEAD, Way, parse};
use mcp_python_sandbox::proxy::rules::Destination;
use mcp_python_sandbox::proxy::{HostRule, in_hosts};

fn opens(rule: &str, target: &str) -> bool {
    let rule: HostRule = rule.parse().expect("a rule");
    rule.opens(&Destination::parse(target, None).expect("a target"))
}

#[test]
fn a_rule_opens_its_host_and_nothing_beside() {
    for (rule, target, expected) in [
        ("example.org", "example.org:443", true),
        ("example.org", "example.org:80", true),
        ("Example.ORG.", "eXample.org.:443", true),
        ("example.org", "example.org:8443", false),
        ("example.org:8443", "example.org:8443", true),
        ("example.org:8443", "example.org:443", false),
        ("example.org", "www.example.org:443", false),
        ("*.example.org", "www.example.org:443", true),
        ("*.example.org", "a.b.example.org:443", true),
        ("*.example.org", "example.org:443", false),
        ("*.example.org", "badexample.org:443", false),
        ("*.example.org", "example.org.evil.net:443", false),
        ("*.example.org:81", "www.example.org:81", true),
        ("[2001:DB8::1]:443", "[2001:db8:0::1]:443", true),
        ("192.0.2.1", "192.0.2.1:80", true),
    ] {
        assert_eq!(opens(rule, target), expected, "{rule} {target}");
    }
}

#[test]
fn what_is_no_host_is_refused() {
    for text in [
        "",
        "*",
        "*.",
        "a b",
        "http://example.org",
        "example.org/",
        "user@example.org",
        "example.org:",
        "example.org:0",
        "example.org:65536",
        "example.org:+1",
        ".example.org",
        "a..b",
        "bücher.example",
        "*.*.org",
        "a*.org",
        "2001:db8::1",
        "[::1",
        "*.[::1]",
        "[::1]x",
        "example.org\n",
    ] {
        assert!(text.parse::<HostRule>().is_err(), "{text:?}");
    }
}

#[test]
fn rules_are_shown_as_they_are_written() {
    for text in ["example.org", "*.example.org", "example.org:8443", "[2001:db8::1]:443"] {
        assert_eq!(text.parse::<HostRule>().expect("a rule").to_string(), text);
    }
}

#[test]
fn public_addresses_are_public() {
    for text in [
        "1.1.1.1",
        "8.8.8.8",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "126.255.255.255",
        "128.0.0.1",
        "168.63.129.15",
        "169.253.0.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.0.1.1",
        "192.167.0.1",
        "198.17.255.255",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450::1",
        "2001:4860:4860::8888",
        "64:ff9b::808:808",
    ] {
        assert!(is_public(text.parse().expect("an address")), "{text}");
    }
}

#[test]
fn all_others_are_not() {
    for text in [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.100.100.200",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::808:808",
        "100::1",
        "2001::1",
        "2001:20::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "3fff::1",
        "4000::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ] {
        assert!(!is_public(text.parse().expect("an address")), "{text}");
    }
}

fn read(head: &str) -> Result<Ask, HttpRefusal> {
    parse(head.as_bytes()).map(|parsed| parsed.expect("a whole head").0)
}

#[test]
fn a_tunnel_names_host_and_port() {
    let ask = read(
        "CONNECT Example.org:443 HTTP/1.1\r\nProxy-Authorization: Basic am9iOnNlc2FtZQ==\r\n\r\n",
    );
    let target = Destination { host: "example.org".into(), port: 443 };
    assert_eq!(ask, Ok(Ask { target, way: Way::Tunnel, password: Some("sesame".into()) }));
}

#[test]
fn a_forwarded_head_is_for_the_host_alone() {
    let head = "GET http://Example.org:8080/a?b=c#d HTTP/1.1\r\nHost: other.org\r\nAccept: */*\r\n\
                Proxy-Authorization: Basic am9iOnNlc2FtZQ==\r\nProxy-Connection: keep-alive\r\n\
                Connection: keep-alive, X-Secret\r\nX-Secret: 1\r\nCookie: a=b\r\n\r\n";
    let Ok(Ask { target, way: Way::Forward(head), password }) = read(head) else {
        panic!("not forwarded")
    };
    assert_eq!(target.to_string(), "example.org:8080");
    assert_eq!(password.as_deref(), Some("sesame"));
    let expected = "GET /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nAccept: */*\r\nCookie: \
        a=b\r\nConnection: close\r\n\r\n";
    assert_eq!(String::from_utf8(head).expect("text"), expected);
}

#[test]
fn a_path_may_be_missing() {
    for (url, expected) in [
        ("http://a.org", "GET / "),
        ("http://a.org?q", "GET /?q "),
        ("HTTP://a.org:80/#x", "GET / "),
    ] {
        let ask = read(&format!("GET {url} HTTP/1.0\r\n\r\n")).expect("an ask");
        let Way::Forward(head) = ask.way else { panic!("not forwarded") };
        assert_eq!(
            String::from_utf8(head).expect("text"),
            format!("{expected}HTTP/1.0\r\nHost: a.org\r\nConnection: close\r\n\r\n")
        );
    }
}

#[test]
fn what_names_no_host_is_refused() {
    for line in [
        "GET / HTTP/1.1",
        "GET https://a.org/ HTTP/1.1",
        "GET ftp://a.org/ HTTP/1.1",
        "GET http:///x HTTP/1.1",
        "GET http://u:p@a.org/ HTTP/1.1",
        "CONNECT a.org HTTP/1.1",
        "CONNECT a.org:0 HTTP/1.1",
        "CONNECT [::1 HTTP/1.1",
        "CONNECT http://a.org:443 HTTP/1.1",
        "GET http://a\u{301}.org/ HTTP/1.1",
        "\u{16}\u{3}\u{1} x HTTP/1.1",
    ] {
        let refusal = read(&format!("{line}\r\n\r\n")).expect_err(line);
        assert_eq!(refusal.status, 400, "{line}");
    }
}

#[test]
fn a_head_may_come_in_pieces_but_not_for_ever() {
    let head = b"CONNECT a.org:443 HTTP/1.1\r\nA: b\r\n\r\nrest";
    for end in 0..head.len() - 4 {
        assert_eq!(parse(&head[..end]), Ok(None), "{end}");
    }
    assert_eq!(parse(head).expect("it can be read").expect("it is whole").1, head.len() - 4);
    let endless = [b"GET http://a.org/ HTTP/1.1\r\nA: ".as_slice(), &[b'x'; MAX_HEAD]].concat();
    assert_eq!(parse(&endless).expect_err("too long").status, 431);
}

#[test]
fn names_that_were_set_by_hand_are_found() {
    let file = "127.0.0.1 localhost # here\n\n# 192.0.2.9 not.this\n192.0.2.1\tone.example One\n\
                2001:db8::1 one.example\nnot an address one.example\n";
    let found = |name: &str| -> Vec<String> {
        in_hosts(file, name).iter().map(ToString::to_string).collect()
    };
    assert_eq!(found("localhost"), ["127.0.0.1"]);
    assert_eq!(found("one.example"), ["192.0.2.1", "2001:db8::1"]);
    assert_eq!(found("one"), ["192.0.2.1"]);
    assert!(found("here").is_empty() && found("not.this").is_empty() && found("").is_empty());
}
