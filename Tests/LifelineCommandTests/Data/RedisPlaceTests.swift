import Foundation
import LifelineServer
import Testing

@testable import LifelineCommand

@Suite struct RedisPlaceTests {
    private func place(
        _ text: String, more: [String] = [], prefix: String = "lifeline", passwordFile: String? = nil
    ) throws -> RedisPlace {
        try RedisPlace(text, more: more, prefix: prefix, passwordFile: passwordFile)
    }

    @Test func `DC-9: the Redis of a cluster are one address, several with spaces, or several options`() throws {
        #expect(RedisPlace.isAddress("redis://host") && RedisPlace.isAddress("rediss://host"))
        #expect(
            !RedisPlace.isAddress("redis") && !RedisPlace.isAddress("postgres://host/db") && !RedisPlace.isAddress("/redis://"))
        let several = try place("redis://a redis://:secret@b", more: ["redis://c?cluster=true"])
        #expect(several.shown == "redis://a:6379/0 redis://b:6379/0 redis://c:6379/0?cluster=true")
        let sentinel = try place("rediss://s1,s2?sentinel=main", prefix: "eu")
        #expect(sentinel.shown == "rediss://s1:26379,s2:26379/0?sentinel=main")
        #expect(sentinel.configuration.prefix == "eu")
        for text in ["redis://", "redis://a redis://a", "redis://user@a", "redis://a:x"] {
            #expect(throws: CommandFailure.self, "\(text)") { try place(text) }
        }
        #expect(throws: CommandFailure.self) { try place("redis://a", prefix: "a b") }
    }

    @Test func `DC-9: a password of Redis may be in a file, and is shown nowhere`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data("p@ss/wörd:%\nnext line".utf8).write(to: URL(fileURLWithPath: file))
        let expected = try place("redis://:p%40ss%2Fw%C3%B6rd%3A%25@host redis://ann:p%40ss%2Fw%C3%B6rd%3A%25@other")
        let found = try place("redis://host redis://ann@other", passwordFile: file)
        #expect(found == expected)
        #expect(!found.shown.contains("ss") && !"\(found.configuration)".contains("rd:"))
        #expect(throws: CommandFailure.self) { try place("redis://ann:given@host", passwordFile: file) }
        #expect(throws: CommandFailure.self) { try place("redis://host", passwordFile: file + "-none") }
    }

    @Test func `DC-9: Redis is no place to copy to, nor one of a server's data`() {
        #expect(throws: CommandFailure.self) { try DataPlace("redis://host", passwordFile: nil) }
    }

    @Test func `DC-8: reading Redis is told with rows and rate`() {
        var meter = CopyMeter()
        #expect(meter.line("reading Redis", 1000, of: "rows", at: .milliseconds(10)) == nil)
        #expect(meter.line("reading Redis", 3000, of: "rows", at: .milliseconds(900)) == nil)
        #expect(meter.line("reading Redis", 5000, of: "rows", at: .milliseconds(2010)) == "reading Redis: 5000 rows, 2000 rows/s")
        #expect(meter.line("reading Redis again", 1000, of: "rows", at: .seconds(9)) == nil)
    }
}
