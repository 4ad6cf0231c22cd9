import Identifiers
import Testing

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Registrations of devices for push notifications, as values (rules PU-1 to PU-6)")
struct PushRegistrationsTests {
    private static func device(_ token: String) -> PushDevice { PushDevice(service: .fcm, token: Identifier(token)) }

    @Test(
        "A device has the channels that were added and not removed, sorted by bytes; the last one takes the device with it (PU-2)"
    )
    func changes() throws {
        var registrations = PushRegistrations()
        #expect(try registrations.changed(Self.device("t"), adding: ["b", "a", "B"], removing: []) == ["B", "a", "b"])
        #expect(try registrations.changed(Self.device("t"), adding: ["a"], removing: []) == nil)
        #expect(try registrations.changed(Self.device("t"), adding: ["c"], removing: ["c", "b"]) == ["B", "a"])
        #expect(registrations.devices(on: "a") == [.fcm: ["t"]] && registrations.devices(on: "b").isEmpty)
        #expect(try registrations.changed(Self.device("t"), adding: [], removing: ["a", "B", "x"]) == [])
        #expect(registrations.deviceCount == 0 && registrations.bytes == 0 && registrations.devices(on: "a").isEmpty)
        #expect(registrations.removal(of: Self.device("t")) == nil)
    }

    @Test("A page begins behind its start and has as many channels as asked for (PU-3)")
    func pages() throws {
        var registrations = PushRegistrations()
        _ = try registrations.changed(Self.device("t"), adding: ["a", "b", "c", "d"], removing: [])
        #expect(registrations.channels(of: Self.device("t"), count: 2) == ["a", "b"])
        #expect(registrations.channels(of: Self.device("t"), after: "b", count: 9) == ["c", "d"])
        // The start need not be there any more.
        #expect(registrations.channels(of: Self.device("t"), after: "bb") == ["c", "d"])
        #expect(registrations.channels(of: Self.device("other")).isEmpty)
    }

    @Test("Beyond a limit nothing changes, and what is removed makes room (PU-5)")
    func limits() throws {
        var registrations = PushRegistrations(limits: .init(devices: 2, channelsPerDevice: 2, bytes: 8))
        _ = try registrations.changed(Self.device("1"), adding: ["a", "b"], removing: [])
        #expect(throws: PushRegistrations.Refusal.tooManyChannels) {
            try registrations.changed(Self.device("1"), adding: ["c"], removing: [])
        }
        #expect(throws: PushRegistrations.Refusal.full) {
            try registrations.changed(Self.device("2"), adding: ["abc"], removing: [])
        }
        _ = try registrations.changed(Self.device("2"), adding: ["a"], removing: [])
        #expect(registrations.bytes == 8)
        #expect(throws: PushRegistrations.Refusal.tooManyDevices) {
            try registrations.changed(Self.device("3"), adding: ["a"], removing: [])
        }
        #expect(registrations.channels(of: Self.device("1")) == ["a", "b"] && registrations.deviceCount == 2)
        registrations.apply(try #require(registrations.removal(of: Self.device("2"))))
        #expect(registrations.bytes == 5)
        #expect(try registrations.changed(Self.device("3"), adding: ["a"], removing: []) == ["a"])
    }

    @Test("A longer name instead of a shorter one counts, too (PU-5)")
    func replacement() throws {
        var registrations = PushRegistrations(limits: .init(devices: 2, channelsPerDevice: 2, bytes: 8))
        _ = try registrations.changed(Self.device("1"), adding: ["a", "bc"], removing: [])
        #expect(registrations.bytes == 6)
        #expect(throws: PushRegistrations.Refusal.full) {
            try registrations.changed(Self.device("1"), adding: ["defg"], removing: ["a"])
        }
        #expect(registrations.channels(of: Self.device("1")) == ["a", "bc"])
        #expect(try registrations.changed(Self.device("1"), adding: ["def"], removing: ["a"]) == ["bc", "def"])
        #expect(try registrations.changed(Self.device("1"), adding: ["d"], removing: ["def"]) == ["bc", "d"])
    }

    @Test("What a store has is taken over whole, also beyond limits that have become lower")
    func restored() {
        let devices = (1...3).map { (device: Self.device("\($0)"), channels: ["a", "b"] as [Identifier]) }
        let registrations = PushRegistrations(restoring: devices, limits: .init(devices: 1, channelsPerDevice: 1, bytes: 1))
        #expect(registrations.deviceCount == 3 && registrations.devices(on: "b")[.fcm]?.count == 3 && registrations.bytes == 15)
    }

    static let apple = String(repeating: "0aB9", count: 16)

    @Test("Which tokens, services, environments and topics are taken (PU-1)")
    func devices() throws {
        #expect(try PushDevice(type: "apns", token: Self.apple).token == Identifier(Self.apple.lowercased()))
        #expect(try PushDevice(type: "gcm", token: "a:B_c-1") == PushDevice(type: "fcm", token: "a:B_c-1"))
        #expect(try PushDevice(type: "mpns", token: "http://m/1").service == .mpns)
        for (type, token, problem) in [
            (nil, Self.apple, PushProblem.invalidType), ("apns2", Self.apple, .invalidType), ("apns", "xyz", .invalidToken),
            ("apns", String(repeating: "g", count: 64), .invalidToken),
            ("apns", String(repeating: "0", count: 15), .invalidToken), ("fcm", "", .invalidToken),
            ("fcm", "a b", .invalidToken), ("fcm", "a\nb", .invalidToken),
            ("mpns", String(repeating: "x", count: 1025), .invalidToken),
        ] {
            #expect(throws: problem) { try PushDevice(type: type, token: token) }
        }
        let device = try PushDevice(environment: nil, topic: "com.app", token: Self.apple)
        #expect(device.service == .apns2(.development, topic: "com.app"))
        #expect(throws: PushProblem.invalidEnvironment) {
            try PushDevice(environment: "staging", topic: "com.app", token: Self.apple)
        }
        for topic in [nil, "", "com app", String(repeating: "x", count: 256)] {
            #expect(throws: PushProblem.invalidTopic) { try PushDevice(environment: nil, topic: topic, token: Self.apple) }
        }
    }

    @Test("A device comes back from its name in the store; names of later versions are left alone (PU-6)")
    func records() throws {
        let devices = [
            try PushDevice(type: "apns", token: Self.apple), try PushDevice(type: "fcm", token: "caf\u{E9}"),
            try PushDevice(type: "mpns", token: "m"), try PushDevice(environment: "production", topic: "t", token: Self.apple),
        ]
        #expect(devices.map { PushDevice(recordKey: $0.recordKey) } == devices)
        for key in ["", "fcm", "fcm\n\n\n", "web\n\n\nx", "apns2\nstaging\nt\nx", "apns\ndevelopment\n\nx", "fcm\n\n\nx\ny"] {
            #expect(PushDevice(recordKey: key) == nil, "\(key)")
        }
    }
}

extension PushRegistrations {
    /// Decides about a change and makes it.
    ///
    /// - Returns: the channels of the device as they are then; nil when nothing has changed.
    fileprivate mutating func changed(
        _ device: PushDevice, adding added: [Identifier], removing removed: [Identifier]
    ) throws -> [Identifier]? {
        guard let change = try change(device, adding: added, removing: removed) else { return nil }
        apply(change)
        return change.channels.sorted()
    }
}
