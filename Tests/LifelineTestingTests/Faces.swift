import Lifeline
import LifelineTesting
import NIOConcurrencyHelpers
import Testing

/// A service behind the neutral API, with the channel that the tests use there.
enum Face: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case pusher, pubnub, chat

    var testDescription: String { rawValue }

    func service(_ service: TestService) -> Service {
        switch self {
        case .pusher: service.pusher()
        case .pubnub: service.pubnub()
        case .chat: service.nexconn()
        }
    }

    /// A channel with presence.
    var channel: String {
        switch self {
        case .pusher: "presence-room"
        case .pubnub, .chat: "room"
        }
    }
}

/// A client that is connected, and everything that it hears, as short words.
struct Connected {
    let service: TestService
    let client: LifelineClient
    let room: Room
    let heard: Words

    init(_ face: Face, publishing: Publishing = .accepted) async throws {
        service = TestService()
        client = LifelineClient(face.service(service))
        heard = try await Words(client, service)
        try await client.connect()
        room = try await client.channel(face.channel).subscribe()
        try await service.settle()
    }
}

/// What a client hears.
final class Words: Sendable {
    private let words = NIOLockedValueBox<[String]>([])
    private let task = NIOLockedValueBox<Task<Void, Never>?>(nil)

    init(_ client: LifelineClient, _ service: TestService) async throws {
        let events = client.events
        let before = service.waitingLoopCount
        task.withLockedValue { task in
            task = Task { [words] in
                for await event in events { words.withLockedValue { $0.append(Self.word(event)) } }
            }
        }
        try await service.until { service.waitingLoopCount > before }
    }

    deinit { task.withLockedValue { $0 }?.cancel() }

    var all: [String] { words.withLockedValue { $0 } }

    /// What was heard since the last call.
    func take() -> [String] {
        words.withLockedValue { words in
            defer { words = [] }
            return words
        }
    }

    private static func word(_ event: ClientEvent) -> String {
        switch event {
        case .status(let status):
            status.phase == .waiting ? "waiting(\(status.category))" : "\(status.phase)"
        case .subscribed(let channel, let isRenewal, _): isRenewal ? "again \(channel)" : "subscribed \(channel)"
        case .unsubscribed(let channel, _): "unsubscribed \(channel)"
        case .message(let message): "\(message.event) \(message.data)"
        case .gap(let gap): "gap \(gap.reason)"
        case .presence(let change, _): "\(change.action) \(change.member.id)"
        case .problem(let error, _, let willRetry, _): "problem \(error.code) \(willRetry)"
        case .notice(let notice, _): "notice \(notice.name)"
        case .dropped(let count, _, _): "dropped \(count)"
        }
    }
}
