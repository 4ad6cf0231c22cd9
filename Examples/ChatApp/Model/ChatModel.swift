import Lifeline

/// Runs a chat room and keeps ``ChatState`` up to date. Knows neither the service nor what shows it.
@MainActor
public final class ChatModel {
    /// What there is to show. ``onChange`` is called after each change.
    public private(set) var state = ChatState()
    public var onChange: @MainActor (ChatState) -> Void = { _ in }

    private let client: LifelineClient
    private let name: String
    private let channel: Channel
    private var loops: [Task<Void, Never>] = []

    /// - Parameters:
    ///   - name: who the user is.
    ///   - channel: the room; on Pusher one that begins with `presence-` shows who is there.
    public init(_ service: Service, name: String, channel: String, options: ClientOptions = ClientOptions()) {
        client = LifelineClient(service, options: options)
        self.name = name
        self.channel = client.channel(channel)
    }

    /// Connects and enters the room. Returns when the service has confirmed; the banner tells of everything on the way there.
    public func start() async throws(LifelineError) {
        follow(client.statuses) { .status($0) }
        try await client.connect()
        let room = try await channel.subscribe()
        if let messages = try? await room.history(last: 20) { take(.earlier(messages)) }
        follow(room.deliveries) { .delivery($0) }
        guard let presence = try? room.presence else { return }
        follow(presence.changes) { _ in .present(presence.members.map(\.id)) }
        take(.present(presence.members.map(\.id)))
    }

    /// Sends a line. It stands in the outbox until it has been accepted, and stays there when it was not.
    public func send(_ text: String) async {
        let id = state.write(text)
        onChange(state)
        do throws(LifelineError) {
            take(.sent(id, try await channel.publish(Line(from: name, text: text))))
        } catch {
            take(.notSent(id, error))
        }
    }

    /// Leaves.
    public func stop() async {
        await client.disconnect()
        for loop in loops { loop.cancel() }
        loops = []
    }

    private func take(_ event: ChatState.Event) {
        state.take(event)
        onChange(state)
    }

    /// None of the sequences throws; saying so in general needs newer systems than this library does.
    private func follow<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, _ event: @escaping @Sendable (Elements.Element) -> ChatState.Event
    ) where Elements.Element: Sendable {
        loops.append(
            Task { [weak self] in
                do { for try await element in elements { self?.take(event(element)) } } catch {}
            })
    }
}
