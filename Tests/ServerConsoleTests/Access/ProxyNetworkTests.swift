import NIOCore
import ServerConsole
import Testing

@Suite("Where proxies of the admin port are (CO-87)")
struct ProxyNetworkTests {
    private func address(_ text: String) throws -> SocketAddress { try SocketAddress(ipAddress: text, port: 7) }

    @Test(arguments: [
        ("10.0.0.5", ["10.0.0.5", "::ffff:10.0.0.5"], ["10.0.0.4", "::a00:5"]),
        ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["11.0.0.0", "9.255.255.255", "::1"]),
        ("172.16.0.0/12", ["172.16.0.1", "172.31.255.255"], ["172.32.0.0", "172.15.255.255"]),
        ("192.168.7.9/24", ["192.168.7.1"], ["192.168.6.1"]), ("128.0.0.0/1", ["255.1.1.1"], ["127.0.0.1"]),
        ("::1", ["::1"], ["::2", "127.0.0.1"]), ("fd00::/8", ["fd12:3456::1"], ["fe80::1", "10.0.0.1"]),
        ("2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::1"]), ("::ffff:10.0.0.0/104", ["10.9.9.9"], ["11.0.0.1"]),
    ])
    func `CO-87: a network has the addresses that begin with its bits`(text: String, inside: [String], outside: [String]) throws {
        let network = try #require(ProxyNetwork(text))
        #expect(network.description == text)
        for name in inside { #expect(network.contains(try address(name)), "\(name)") }
        for name in outside { #expect(!network.contains(try address(name)), "\(name)") }
        #expect(!network.contains(nil))
        #expect(!network.contains(try SocketAddress(unixDomainSocketPath: "/tmp/x")))
    }

    @Test(arguments: [
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/0", "::/0", "10.0.0.0/33", "::1/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
        "10.0.0.0/08888",
        "proxy.example", "10.0.0.0/a", "10.0.0.0/८", "10.0.0.1:80", "*",
    ])
    func `CO-87: a text that is not a network, and a network of all addresses, are refused`(text: String) {
        #expect(ProxyNetwork(text) == nil)
    }
}
