import ConnectionEngine
import EngineRuntime
import PubNubProtocol

@testable import PubNub

/// A client on a scripted engine whose callbacks come at once.
struct Fixture {
    let engine = ScriptedEngine()
    let calls: ScriptedCalls
    let listener = RecordingListener()
    let client: PubNub

    init(
        calls: ScriptedCalls = ScriptedCalls(), configure: (inout ConfigurationValues) -> Void = { _ in }
    ) {
        self.calls = calls
        var values = ConfigurationValues(publishKey: "pub", subscribeKey: "sub", uuid: "me", deviceID: "device")
        configure(&values)
        let engine = engine
        client = PubNub(
            values, queue: .inline, assembly: PubNubEngineAssembly(makeCalls: { _ in calls }, makeEngine: { _, _ in engine }))
        client.addListener(listener)
    }
}

extension PubNubProblem {
    static func http(_ status: Int, _ category: StatusCategory, channels: [String] = [], groups: [String] = []) -> PubNubProblem {
        PubNubProblem(
            ConnectionFailure(category, "The service refuses.", origin: .server, httpStatus: status),
            information: status == 403 ? "Forbidden" : nil, channels: channels, channelGroups: groups)
    }

    static func lost(_ category: StatusCategory) -> PubNubProblem {
        PubNubProblem(ConnectionFailure(category, "The link was lost."))
    }
}

extension PubNubBatch {
    init(_ messages: [PubNubMessage], previous: UInt64 = 15, current: UInt64 = 16) {
        self.init(
            messages: messages, previous: PubNubCursor(timetoken: Timetoken(rawValue: previous)),
            current: PubNubCursor(timetoken: Timetoken(rawValue: current)))
    }
}

extension PubNubMessage {
    static func text(_ payload: String, on channel: String = "a", kind: PubNubMessageKind = .message) -> PubNubMessage {
        PubNubMessage(
            channel: channel, kind: kind, publisher: "them", timetoken: Timetoken(rawValue: 17), payload: payload)
    }
}
