import NIOCore
import ServerValues
import Testing

@testable import ServerRuntime

@Suite("Connections of one address (SV-50)")
struct AddressLimitsTests {
    private func address(_ text: String) throws -> RemoteAddress {
        try #require(RemoteAddress(named: text), "\(text)")
    }

    @Test("An address is written as an IPv4 address or an IPv6 network")
    func texts() throws {
        for (given, text) in [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:10.0.0.255", "10.0.0.255"), ("127.0.0.1", "127.0.0.1"), ("::1", "::1"),
            ("2001:db8:1:2::7", "2001:db8:1:2::/64"), ("::2", "0:0:0:0::/64"),
        ] {
            #expect(try "\(address(given))" == text)
        }
    }

    @Test("An address of IPv4 stands for itself, one of IPv6 for its network of 64 bits, and a port for nothing")
    func addresses() throws {
        for (one, other) in [
            ("192.0.2.1", "192.0.2.1:80"), ("192.0.2.1", "::ffff:192.0.2.1"), ("2001:db8:1:2::1", "2001:db8:1:2:ffff::"),
            ("2001:db8:1:2::1", "[2001:db8:1:2::7]:443"), ("2001:db8:1:2::1", "[2001:db8:1:2::7]"),
        ] {
            #expect(try address(one) == address(other), "\(one), \(other)")
        }
        let different = [
            "192.0.2.1", "192.0.2.2", "127.0.0.1", "2001:db8:1:2::", "2001:db8:1:3::", "2001:db8:1::", "::1", "::2", "::",
            "0.0.0.0",
        ]
        #expect(Set(try different.map { try address($0) }).count == different.count - 1, "Only ::2 and :: are one network.")
        for text in ["", "unknown", "192.0.2", "_hidden", "[]", "localhost", "1.2.3.4, 5.6.7.8", "\u{661}.1.1.1"] {
            #expect(RemoteAddress(named: text) == nil, "\(text)")
        }
        #expect(try address("127.0.0.1").isLoopback && address("127.9.9.9").isLoopback && address("::1").isLoopback)
        #expect(try address("::ffff:127.0.0.1").isLoopback && !address("128.0.0.1").isLoopback && !address("::2").isLoopback)
        #expect(RemoteAddress(try SocketAddress(unixDomainSocketPath: "/x")) == nil && RemoteAddress(nil) == nil)
    }

    @Test("So many connections at a time, and a place that is given back is free")
    func maximum() throws {
        var book = AddressLimits(maximum: 3, rate: 0)
        func open(_ address: RemoteAddress, _ seconds: Int64) -> Bool { book.open(address, at: .seconds(seconds)) }
        let (one, other) = (try address("192.0.2.1"), try address("192.0.2.2"))
        for _ in 0..<3 { #expect(open(one, 0)) }
        #expect(!open(one, 1_000))
        #expect(open(other, 0))
        book.close(one, at: .seconds(1))
        #expect(open(one, 1) && !open(one, 1))
        for _ in 0..<10 { book.close(other, at: .seconds(2)) }
        #expect(open(other, 2) && book.count == 2)
    }

    // Proof of SV-50.
    @Test("So many new ones in a second and five times as many at once, whether the old ones are still there or not")
    func rate() throws {
        for closes in [false, true] {
            var book = AddressLimits(maximum: 0, rate: 10)
            let one = try address("192.0.2.1")
            func opened(_ seconds: Int64) -> Int {
                var count = 0
                while book.open(one, at: .seconds(seconds)) {
                    count += 1
                    if closes { book.close(one, at: .seconds(seconds)) }
                    if count > 1_000 { return count }
                }
                return count
            }
            #expect(opened(0) == 50)
            #expect(opened(0) == 0 && opened(1) == 10 && opened(3) == 20 && opened(1_000) == 50)
            // A clock that goes back gives nothing.
            #expect(opened(999) == 0)
        }
    }

    @Test("Nothing is limited by zero")
    func off() throws {
        var book = AddressLimits(maximum: 0, rate: 0)
        let one = try address("192.0.2.1")
        let opened = (0..<10_000).count { _ in book.open(one, at: .seconds(0)) }
        #expect(opened == 10_000 && book.count == 1)
    }

    // Proof of SV-50.
    @Test("The table follows the open connections, however many addresses come and go")
    func size() throws {
        var book = AddressLimits(maximum: 2_000, rate: 200)
        for number in 0..<20_000 {
            let one = try address("2001:db8:\(String(number, radix: 16)):1::1")
            // 5 ms for each, which is as long as an address is remembered.
            let now = MonotonicInstant(nanoseconds: Int64(number) * 5_000_000)
            let isOpen = book.open(one, at: now)
            #expect(isOpen)
            if number >= 100 { book.close(one, at: now) }
        }
        #expect(book.count <= AddressLimits.smallest + 1)
        // All at once they stay until they may open a whole burst again.
        for number in 0..<5_000 {
            let one = try address("10.0.\(number / 250).\(number % 250)")
            let isOpen = book.open(one, at: .seconds(5_000))
            #expect(isOpen)
            book.close(one, at: .seconds(5_000))
        }
        #expect(book.count >= 5_000 && book.count <= 5_000 + AddressLimits.smallest + 1)
        for number in 0..<20_000 {
            let one = try address("11.0.\(number / 250).\(number % 250)")
            let isOpen = book.open(one, at: .seconds(6_000 + Int64(number)))
            #expect(isOpen)
            book.close(one, at: .seconds(6_000 + Int64(number)))
        }
        #expect(book.count <= 2 * AddressLimits.smallest)
    }
}
