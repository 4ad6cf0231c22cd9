import ConnectionEngine
import Foundation
import PusherProtocol
import Testing

@Suite("Encrypted channels in a session (rules PS-20 to PS-22)")
struct PusherEncryptedChannelTests {
    static let name = "private-encrypted-a"
    static let good = [UInt8](repeating: 1, count: 32)
    static let old = [UInt8](repeating: 2, count: 32)

    static func authorization(_ key: [UInt8]) -> PusherAuthorization {
        PusherAuthorization(auth: "k:s", sharedSecret: Data(key).base64EncodedString())
    }

    static func event(_ event: String, _ text: String, key: [UInt8] = good, channel: String = name) throws -> [UInt8] {
        let data = try PusherEncryption.encrypt(text, sharedSecret: key, nonce: [UInt8](repeating: 9, count: 24))
        return PusherFrames.event(name: event, channel: channel, data: data)
    }

    static func subscribed(key: [UInt8]) -> PusherScript {
        let script = PusherScript.connected(name)
        script.authorize(.success(authorization(key)))
        script.confirm(name)
        script.forget()
        return script
    }

    // Proof of U6.
    @Test("Events are opened with the channel's key, and the protocol's own events pass as they are")
    func decrypts() throws {
        let script = Self.subscribed(key: Self.good)
        script.receive(try Self.event("e", #"{"a":1}"#))
        script.receive(PusherFrames.cacheMiss(channel: Self.name))
        script.receive(#"{"event":"e","channel":"\#(Self.name)"}"#)
        script.receive(#"{"event":"e","channel":"\#(Self.name)","data":null}"#)
        #expect(
            script.told() == [
                #"message \#(Self.name) e {"a":1}"#, "cache missed \(Self.name)", "message \(Self.name) pusher:cache_miss {}",
                "message \(Self.name) e -", "message \(Self.name) e null",
            ])
        #expect(script.jobs.isEmpty)
    }

    // Proof of U13.
    @Test("A failing event reloads the key once; later events wait in order, other channels do not")
    func reload() throws {
        let script = Self.subscribed(key: Self.old)
        script.subscribe("b")
        script.confirm("b")
        script.forget()
        script.receive(try Self.event("e1", "1"))
        script.receive(try Self.event("e2", "2"))
        script.receive(PusherFrames.event(name: "x", channel: "b", data: "0"))
        #expect(script.told() == ["message b x 0"])
        #expect(script.jobs.map(\.job) == [PusherAuthorizeJob(channel: Self.name, socketID: "1.1", purpose: .keyReload)])
        script.authorize(.success(Self.authorization(Self.good)))
        script.receive(try Self.event("e3", "3"))
        #expect(script.told() == ["e1 1", "e2 2", "e3 3"].map { "message \(Self.name) \($0)" })
        #expect(script.jobs.isEmpty)
    }

    // Proof of U13.
    @Test("One reload per failing event; what stays closed is told, and the next event goes on")
    func stillBad() throws {
        let script = Self.subscribed(key: Self.old)
        script.receive(try Self.event("e1", "1"))
        script.receive(try Self.event("e2", "2"))
        script.receive(try Self.event("e3", "3", key: Self.old))
        script.authorize(.success(Self.authorization(Self.old)))
        #expect(script.told() == ["undecryptable \(Self.name) e1"])
        #expect(script.jobs.count == 1)
        script.authorize(.failure(ConnectionFailure(.timeout, "late")))
        #expect(script.told() == ["undecryptable \(Self.name) e2", "message \(Self.name) e3 3"])
        #expect(script.jobs.isEmpty)
    }

    @Test("A reload that takes too long gives up on its event only")
    func slowReload() throws {
        let script = Self.subscribed(key: Self.old)
        script.receive(try Self.event("e1", "1"))
        script.advance(.milliseconds(10_010))
        #expect(script.told().contains("undecryptable \(Self.name) e1"))
        script.receive(try Self.event("e2", "2", key: Self.old))
        #expect(script.told().contains("message \(Self.name) e2 2"))
    }

    // Proof of U6.
    @Test("A payload that is none needs no reload")
    func malformed() {
        let script = Self.subscribed(key: Self.good)
        script.receive(PusherFrames.event(name: "e", channel: Self.name, data: "hello"))
        script.receive(PusherFrames.event(name: "e", channel: Self.name, data: #"{"nonce":"AAAA"}"#))
        #expect(script.told() == ["undecryptable \(Self.name) e", "undecryptable \(Self.name) e"])
        #expect(script.jobs.isEmpty)
    }

    @Test("What waits for a key is bounded, and told when it is dropped or the connection ends")
    func bounded() throws {
        let script = Self.subscribed(key: Self.old)
        for index in 0..<258 { script.receive(try Self.event("e\(index)", "x")) }
        #expect(script.told() == ["undecryptable \(Self.name) e256", "undecryptable \(Self.name) e257"])
        script.close(nil)
        #expect(script.told().filter { $0.hasPrefix("undecryptable") }.count == 256)
    }

    @Test("Keys are not asked for without end")
    func reloadLimit() throws {
        let script = Self.subscribed(key: Self.old)
        var reloads = 0
        for _ in 0..<100 {
            script.receive(try Self.event("e", "x"))
            if !script.jobs.isEmpty {
                reloads += 1
                script.authorize(.success(Self.authorization(Self.old)))
            }
        }
        #expect(reloads == 30)
        #expect(script.told().count == 100)
    }

    @Test("Client events are refused")
    func clientEvents() {
        let script = Self.subscribed(key: Self.good)
        script.perform(.publish(channel: Self.name, event: "client-e", json: "1"))
        #expect(script.answers() == ["1 failed badRequest"])
        #expect(script.sent() == [])
    }
}
