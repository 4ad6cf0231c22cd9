import RedisClient
import Testing

@Suite struct RedisAddressTests {
    @Test(arguments: [
        ("redis://127.0.0.1", RedisAddress(hosts: [.init("127.0.0.1")])),
        ("REDIS://localhost:7000/", RedisAddress(hosts: [.init("localhost", port: 7000)])),
        ("rediss://cache.example:6380/2", RedisAddress(hosts: [.init("cache.example", port: 6380)], usesTLS: true, database: 2)),
        ("redis://:secret@h", RedisAddress(hosts: [.init("h")], credentials: .init(password: "secret"))),
        ("redis://joe:p%40%3A%2F%25@h", RedisAddress(hosts: [.init("h")], credentials: .init(user: "joe", password: "p@:/%"))),
        ("redis://[::1]:7000/1", RedisAddress(hosts: [.init("::1", port: 7000)], database: 1)),
        ("redis://[fe80::1]", RedisAddress(hosts: [.init("fe80::1")])),
        (
            "redis://a,b:7000,[::1]?sentinel=my%20master",
            RedisAddress(
                hosts: [.init("a", port: 26_379), .init("b", port: 7000), .init("::1", port: 26_379)],
                topology: .sentinel("my master"))
        ),
        ("redis://a:1,b:2?cluster=true", RedisAddress(hosts: [.init("a", port: 1), .init("b", port: 2)], topology: .cluster)),
        ("redis://a/?cluster=false", RedisAddress(hosts: [.init("a")])),
    ])
    func `RC-7 An address is read`(text: String, address: RedisAddress) throws {
        #expect(try RedisAddress(text) == address)
    }

    @Test(arguments: [
        ("", RedisAddressError.scheme), ("localhost:6379", .scheme), ("http://h", .scheme), ("redis:/h", .scheme),
        ("unix:///x", .scheme),
        ("redis://", .noHost), ("redis:///0", .noHost), ("redis://a,,b?cluster=true", .noHost), ("redis://:pw@", .noHost),
        ("redis://::1", .invalidHost), ("redis://[::1", .invalidHost), ("redis://[::1]x", .invalidHost),
        ("redis://[a]", .invalidHost),
        ("redis://a b", .invalidHost), ("redis://:pw@b@h", .invalidHost), ("redis://:p:w@h", .invalidHost),
        ("redis://:p#w@h", .invalidHost),
        ("redis://h:", .invalidPort), ("redis://h:0", .invalidPort), ("redis://h:65536", .invalidPort),
        ("redis://h:+1", .invalidPort),
        ("redis://h:1:2", .invalidPort), ("redis://user@h", .noPassword), ("redis://user:@h", .noPassword),
        ("redis://:p%zz@h", .invalidEscape), ("redis://:p%4@h", .invalidEscape), ("redis://:%ff@h", .invalidEscape),
        ("redis://h/x", .invalidDatabase), ("redis://h/-1", .invalidDatabase), ("redis://h/0/1", .invalidDatabase),
        ("redis://h?cluster=yes", .invalidParameter), ("redis://h?cluster", .invalidParameter),
        ("redis://h?sentinel=a&sentinel=b", .invalidParameter), ("redis://h?timeout=1", .unknownParameter),
        ("redis://h?sentinel=", .emptySentinel), ("redis://h?sentinel", .emptySentinel),
        ("redis://h?sentinel=a&cluster=true", .sentinelAndCluster), ("redis://h/1?cluster=true", .databaseInCluster),
        ("redis://a,b", .severalHosts),
    ])
    func `RC-7 A malformed address is refused with what to change`(text: String, error: RedisAddressError) {
        #expect(throws: error) { try RedisAddress(text) }
        #expect(error.description.hasSuffix("."))
    }

    /// Passwords with characters that should have been escaped, so that their parts end up in every other place.
    @Test(arguments: [
        "redis://:hunter2@b@h", "redis://:x/hunter2@h", "redis://:x?hunter2=1@h", "redis://:x:hunter2@h", "redis://:x#hunter2@h",
        "redis://joe:%hunter2@h", "redis://hunter2:@h", "redis://hunter2@h", "hunter2", "redis://h:hunter2",
    ])
    func `RC-5 An error of an address quotes nothing`(text: String) {
        do {
            let address = try RedisAddress(text)
            Issue.record("\(address) was accepted")
        } catch {
            #expect(!"\(error) \(String(reflecting: error))".contains("hunter2"))
        }
    }

    @Test func `RC-5 Descriptions of an address never show the password`() throws {
        let address = try RedisAddress("rediss://joe:hunter2@a:1,[::1]:2/0?sentinel=m")
        var dumped = ""
        dump(address, to: &dumped)
        dump(address.credentials, to: &dumped)
        for text in ["\(address)", String(reflecting: address), "\(String(describing: address.credentials))", dumped] {
            #expect(!text.contains("hunter2"))
        }
        #expect("\(address)" == "rediss://joe:***@a:1,[::1]:2/0?sentinel=m")
    }
}
