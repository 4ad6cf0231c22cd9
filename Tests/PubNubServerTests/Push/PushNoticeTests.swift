import Identifiers
import ServerStorage
import Testing
import WireCoding

@testable import PubNubServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("What a message asks to be pushed to whom (rules PU-20 to PU-23)")
struct PushNoticeTests {
    static let apns = PushDevice(service: .apns, token: "aa")
    static let production = PushDevice(service: .apns2(.production, topic: "com.app"), token: "bb")
    static let development = PushDevice(service: .apns2(.development, topic: "com.app"), token: "cc")
    static let fcm = PushDevice(service: .fcm, token: "Dd")
    static let mpns = PushDevice(service: .mpns, token: "ee")
    static let all: Set<PushDevice> = [apns, production, development, fcm, mpns]

    static func message(_ payload: String, kind: Int = 0) -> StoredMessage {
        StoredMessage(timetoken: 17, channel: "room", publisher: "ann", payload: Array(payload.utf8), kind: kind)
    }

    /// All events of a message, made step by step.
    static func events(_ message: StoredMessage, to devices: Set<PushDevice>) -> [WebhookEvent] {
        let tokens = Dictionary(grouping: devices, by: \.service).mapValues { Set($0.map(\.token)) }
        guard var making = PushNotice(message)?.events(message, to: tokens) else { return [] }
        var events: [WebhookEvent] = []
        while !making.isFinished { if let event = making.step() { events.append(event) } }
        return events
    }

    /// `service:token,…` of each event.
    static func told(_ payload: String, kind: Int = 0, to devices: Set<PushDevice> = all) -> [String] {
        let message = message(payload, kind: kind)
        return events(message, to: devices).compactMap { event in
            guard let body = try? JSONValue(parsing: event.body), let service = body["service"]?.string else { return nil }
            return service + ":" + (body["devices"]?.array ?? []).compactMap(\.string).joined(separator: ",")
        }
    }

    @Test(
        "Each service gets what is under its key",
        arguments: [
            (#"{"text":"hi"}"#, []), (#""pn_apns""#, []), (#"[{"pn_apns":{}}]"#, []), (#"{"pn_debug":true}"#, []),
            (#"{"pn_apns":true}"#, []), (#"{"pn_gcm":{"data":{}}}"#, ["fcm:Dd"]), (#"{"pn_fcm":{"data":{}}}"#, ["fcm:Dd"]),
            (#"{"pn_mpns":{"type":"toast"}}"#, ["mpns:ee"]), (#"{"pn_apns":{"aps":{}}}"#, ["apns:aa"]),
            (#"{"pn_apns":{"aps":{}},"pn_gcm":{},"pn_mpns":{},"more":1}"#, ["apns:aa", "fcm:Dd", "mpns:ee"]),
            (#"{"pn_apns":{"pn_push":[{"targets":[{"topic":"com.app"}]}]}}"#, ["apns:aa", "apns2:cc"]),
            (
                #"{"pn_apns":{"pn_push":[{"targets":[{"topic":"com.app","environment":"production"}]}]}}"#,
                ["apns:aa", "apns2:bb"]
            ),
            (#"{"pn_apns":{"pn_push":[{"targets":[{"topic":"other"},{"environment":"x","topic":"com.app"}]}]}}"#, ["apns:aa"]),
            (
                #"{"pn_apns":{"pn_push":[{"targets":[{"topic":"com.app","exclude_devices":["CC"]}]}],"pn_exceptions":["AA"]}}"#,
                []
            ),
            (#"{"pn_gcm":{"pn_exceptions":["dD"]}}"#, []),
        ])
    func services(payload: String, expected: [String]) {
        #expect(Self.told(payload) == expected)
        #expect(Self.told(payload, kind: 4) == expected)
        // Signals, actions and App Context are never pushed.
        for kind in 1...3 { #expect(Self.told(payload, kind: kind) == []) }
    }

    @Test("The payload of a service goes on as it was written, with where the message is from (PU-22)")
    func body() throws {
        let message = Self.message(#"{"pn_apns":{"aps": {"alert":"Hi\u0021"},"n":1.50}}"#)
        let events = Self.events(message, to: [Self.apns])
        #expect(events.map(\.key) == ["room"])
        #expect(
            String(decoding: try #require(events.first).body, as: UTF8.self)
                == #"{"name":"push","channel":"room","timetoken":"17","uuid":"ann","service":"apns","devices":["aa"],"#
                + #""payload":{"aps": {"alert":"Hi\u0021"},"n":1.50}}"#)
    }

    @Test("Many devices go into several events of a thousand, none twice (PU-23)")
    func many() {
        let devices = Set((0..<2500).map { PushDevice(service: .fcm, token: Identifier("t\($0)")) })
        let told = Self.told(#"{"pn_gcm":{}}"#, to: devices).map { $0.dropFirst(4).split(separator: ",") }
        #expect(told.map(\.count) == [1000, 1000, 500] && Set(told.joined()).count == 2500)
    }

    @Test("Of a message's targets the first hundred count, and a device is looked at once however many there are (PU-28)")
    func targets() {
        let devices = Set((0..<500).map { PushDevice(service: .apns2(.development, topic: "t\($0)"), token: "aa") })
        let targets = (0..<400).map { "{\"topic\":\"t\($0)\"}" }.joined(separator: ",")
        let message = Self.message("{\"pn_apns\":{\"pn_push\":[{\"targets\":[\(targets)]}]}}")
        #expect(Self.events(message, to: devices).count == PushNotice.maximumTargets)
        // A step looks at a thousand devices, whether it makes an event of them or not.
        let many = Set((0..<2500).map { Identifier("t\($0)") })
        let notice = PushNotice(Self.message(#"{"pn_gcm":{}}"#))
        var making = notice?.events(message, to: [.fcm: many])
        let event = making?.step()
        #expect(event != nil && making?.isFinished == false)
        // Two targets of the same topic: whoever one of them means gets it.
        let both = #"{"topic":"com.app","exclude_devices":["cc","c1"]},{"topic":"com.app","exclude_devices":["CC"]}"#
        let other = PushDevice(service: .apns2(.development, topic: "com.app"), token: "c1")
        #expect(
            Self.told("{\"pn_apns\":{\"pn_push\":[{\"targets\":[\(both)]}]}}", to: [Self.development, other]) == ["apns2:c1"])
    }
}
