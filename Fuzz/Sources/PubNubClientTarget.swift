import ConnectionEngine
import EngineRuntime
import EngineTesting
import Foundation
import HTTPTransport
import PubNubProtocol

@testable import PubNub

/// A client of PubNub that subscribes: each line of an input answers the poll that is outstanding. A line that begins with `!` and
/// three digits is an answer of that status.
enum PubNubClientTarget {
    @Sendable static func run(_ input: FuzzInput) {
        let transport = ScriptedTransport<PubNubSession>()
        let timers = ManualTimers()
        var values = ConfigurationValues(publishKey: "pub", subscribeKey: "sub", uuid: "me", deviceID: "device")
        values.cipherKey = "enigma"
        values.requestMessageCountThreshold = 1
        let client = PubNub(
            values, queue: .inline,
            assembly: PubNubEngineAssembly(
                makeCalls: { _ in ScriptedAnswer(status: 200, body: []) },
                makeEngine: { values, settings in
                    LiveSubscription(settings) {
                        PubNubEngineAssembly.driver(values, $0, transport: transport, timers: timers, seed: 7)
                    }
                }))
        let listener = ReadingListener()
        client.addListener(listener)
        client.subscribeToChannels(["a", "b"], withPresence: true)
        client.subscribeToChannelGroups(["g"], withPresence: true)
        transport.report(.opened)
        var (input, decoder) = (input, PubNubAnswerDecoder())
        for line in input.lines(upTo: ClientTargets.longestScript) {
            guard let poll = outstanding(transport) else {
                let dials = transport.dials
                for _ in 0..<8 where transport.dials == dials { timers.advanceToNext() }
                transport.report(.opened)
                continue
            }
            var (body, status) = (line.bytes, 200)
            if body.count >= 4, body[0] == UInt8(ascii: "!"),
                let other = Int(String(decoding: body[1..<4], as: UTF8.self)), (100...999).contains(other)
            {
                (status, body) = (other, UnsafeRawBufferPointer(rebasing: body[4...]))
            }
            let head = HTTPAnswerHead(status: status, contentType: "application/json", retryAfter: nil)
            let answer = decoder.decode(head, body: body, isPoll: true)
            transport.report(.received([LongPollInbound(id: poll.id, result: .success(answer))]))
        }
        client.unsubscribeFromAll()
        client.removeListener(listener)
    }

    private static func outstanding(_ transport: ScriptedTransport<PubNubSession>) -> HTTPExchange? {
        guard !transport.live.isEmpty else { return nil }
        switch transport.sent.last(where: { if case .call = $0 { false } else { true } }) {
        case .poll(let exchange), .renewPoll(let exchange): return exchange
        default: return nil
        }
    }
}

/// The calls of a client of PubNub: the whole input is what the service answers to each of them. The first byte decides on the status.
enum PubNubCallsTarget {
    @Sendable static func run(_ input: FuzzInput) {
        var input = input
        let choice = input.byte()
        let answer = ScriptedAnswer(status: [200, 200, 200, 400, 403, 404, 500][Int(choice) % 7], body: input.array)
        for cipherKey in [nil, "enigma"] as [String?] {
            var values = ConfigurationValues(publishKey: "pub", subscribeKey: "sub", uuid: "me", deviceID: "device")
            values.cipherKey = cipherKey
            let client = PubNub(
                values, queue: .inline,
                assembly: PubNubEngineAssembly(
                    makeCalls: { _ in answer },
                    makeEngine: { values, settings in
                        LiveSubscription(settings) {
                            PubNubEngineAssembly.driver(
                                values, $0, transport: ScriptedTransport<PubNubSession>(), timers: ManualTimers(), seed: 7)
                        }
                    }))
            call(client)
        }
        _ = PubNub.clientWithConfiguration(PNConfiguration(publishKey: "pub", subscribeKey: "sub")).parseAuthToken(input.text)
    }

    private static func call(_ client: PubNub) {
        client.timeWithCompletion { result, _ in _ = result?.data.timetoken }
        client.publish(["a": 1], toChannel: "a") { status in _ = (status.data.timetoken, status.errorData.information) }
        client.signal("a", channel: "a") { status in _ = status.data.timetoken }
        client.historyForChannel("a", withMetadata: true, messageActions: true) { result, _ in
            _ = (result?.data.messages, result?.data.start, result?.data.end)
        }
        client.historyForChannel("a") { result, _ in _ = (result?.data.messages, result?.data.channels) }
        client.deleteMessagesFromChannel("a", start: 1, end: 2) { status in _ = status.errorData.information }
        client.hereNowWithCompletion { result, _ in _ = (result?.data.channels, result?.data.totalOccupancy) }
        client.hereNowForChannel("a") { result, _ in _ = (result?.data.uuids, result?.data.occupancy) }
        client.hereNowForChannelGroup("g") { result, _ in _ = result?.data.channels }
        client.whereNowUUID("me") { result, _ in _ = result?.data.channels }
        client.stateForUUID("me", onChannel: "a") { result, _ in _ = result?.data.state }
        client.channelsForGroup("g") { result, _ in _ = result?.data.channels }
        client.channelGroupsWithCompletion { result, _ in _ = result?.data.groups }
        client.addChannels(["a"], toGroup: "g") { status in _ = status.errorData.information }
        client.fetchMessageActions(with: PNFetchMessageActionsRequest(channel: "a")) { result, _ in
            _ = (result?.data.actions, result?.data.start, result?.data.end)
        }
        client.allUUIDMetadata(with: PNFetchAllUUIDMetadataRequest()) { result, _ in
            for object in result?.data.metadata ?? [] { _ = (object.custom, object.updated) }
        }
        client.allChannelsMetadata(with: PNFetchAllChannelsMetadataRequest()) { result, _ in
            for object in result?.data.metadata ?? [] { _ = (object.custom, object.updated) }
        }
        client.memberships(with: PNFetchMembershipsRequest(uuid: "me")) { result, _ in
            for object in result?.data.memberships ?? [] { _ = (object.custom, object.updated) }
        }
        client.channelMembers(with: PNFetchChannelMembersRequest(channel: "a")) { result, _ in
            for object in result?.data.members ?? [] { _ = (object.custom, object.updated) }
        }
        client.listFiles(with: PNListFilesRequest(channel: "a")) { result, _ in
            for file in result?.data.files ?? [] { _ = (file.created, file.size, file.downloadURL) }
        }
    }
}

/// Answers every call at once with the same answer.
private final class ScriptedAnswer: CallTransport {
    private let answer: HTTPCallAnswer

    init(status: Int, body: [UInt8]) {
        answer = HTTPCallAnswer(status: status, headers: [HTTPField("Content-Type", "application/json")], body: body, url: "")
    }

    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        completion(.success(answer))
        return {}
    }
}

/// Reads everything that it is told.
private final class ReadingListener: PNObjectEventListener, Sendable {
    func client(_ client: PubNub, didReceiveMessage message: PNMessageResult) { read(message.data) }
    func client(_ client: PubNub, didReceiveSignal signal: PNSignalResult) { read(signal.data) }

    private func read(_ data: PNMessageData) {
        read(data as PNSubscriberData)
        _ = (data.message, data.publisher, try? data.decode(Int.self))
    }

    private func read(_ data: PNSubscriberData) {
        _ = (data.channel, data.subscription, data.timetoken, data.userMetadata, data.customMessageType)
    }

    func client(_ client: PubNub, didReceiveMessageAction action: PNMessageActionResult) {
        read(action.data)
        _ = (action.data.action.messageTimetoken, action.data.action.actionTimetoken, action.data.event)
    }

    func client(_ client: PubNub, didReceivePresenceEvent event: PNPresenceEventResult) {
        read(event.data)
        let presence = event.data.presence
        _ = (
            presence.timetoken, presence.uuid, presence.join, presence.leave, presence.timeout, presence.occupancy, presence.state
        )
    }

    func client(_ client: PubNub, didReceiveObjectEvent event: PNObjectEventResult) {
        read(event.data)
        _ = (
            event.data.timestamp, event.data.channelMetadata?.custom, event.data.uuidMetadata?.custom,
            event.data.membership?.custom
        )
    }

    func client(_ client: PubNub, didReceiveFileEvent event: PNFileEventResult) {
        read(event.data)
        _ = (event.data.file?.size, event.data.message)
    }

    func client(_ client: PubNub, didReceive status: PNStatus) {
        _ = (status.category, status.isError, (status as? PNErrorStatus)?.errorData.information)
    }
}
