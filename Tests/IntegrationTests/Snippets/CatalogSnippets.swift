import Foundation
import Lifeline
import LifelineOutbox
import LifelineServer
import LifelineTesting
import NexconnChatSDK
import PubNub
import PusherSwift
import Testing

// As PusherSnippets.swift, for the articles in the documentation catalogs of the modules.

private struct Price: Codable {
    var company: String
    var price: Int
}

private struct Line: Codable {
    var from: String
    var text: String
}

private func show(_ message: Lifeline.Message) {}
private func show(_ messages: [Lifeline.Message]) {}
private func showGap(_ reason: Gap.Reason, since: Moment) {}
private func showAsSent() {}
private func showAsFailed(_ reason: String) {}
private func showAsUncertain() {}
private func show(_ entry: OutboxEntry) {}
private func showAsSending(_ json: String) {}
private func showWithRetry(_ json: String, id: OutboxEntry.ID) {}
private func showTyping(_ users: [String]) {}
private func show(_ reaction: Reaction) {}
private func show(_ reactions: [Reaction]) {}
private func hide(_ reaction: Reaction) {}
private func show(_ drawing: Data) {}
private func show(_ delivery: Delivery) {}
private func isKnown(_ id: String?) -> Bool { false }
private func fetchChatToken() async throws -> String { "" }

func catalogLanding() async throws {
    let client = LifelineClient(
        .pusher(key: "app-key", host: .init("127.0.0.1", port: 6001, tls: false)))
    try await client.connect()
    let room = try await client.channel("room-42").subscribe()
    for await message in room.messages {
        print(message.event, try message.decode(Price.self))
    }
}

func catalogOutcomes(_ room: Room) async throws {
    switch try await room.publish(Line(from: "ann", text: "hello")) {
    case .accepted: showAsSent()
    case .refused(let error): showAsFailed(error.reason)
    case .unknown: showAsUncertain()
    }
}

func catalogResuming(_ client: LifelineClient, _ lastID: String) async throws {
    let room = try await client.channel("room").subscribe()
    for await delivery in try await room.deliveries(since: .position(lastID)) {
        show(delivery)
    }
}

func catalogBytes(_ room: Room, _ drawing: Data) async throws {
    _ = try await room.publish(data: drawing, event: "drawing")
    for await message in room.messages where message.event == "drawing" {
        show(try message.decodeData())
    }
}

func catalogTyping(_ room: Room) async throws {
    guard room.channel.supports(.typing) else { return }
    let typing = try room.typing
    Task {
        for await users in typing.users { showTyping(users) }
    }
    try await typing.keystroke()
}

func catalogReactions(_ room: Room, _ message: Lifeline.Message) async throws {
    guard room.channel.supports(.reactions), let id = message.id else { return }
    try await room.channel.addReaction("👍", to: id)
    for await change in try room.reactions {
        switch change {
        case .added(let reaction): show(reaction)
        case .removed(let reaction): hide(reaction)
        case .missed: show(try await room.channel.reactions(to: id))
        }
    }
}

func catalogOutbox(_ client: LifelineClient) async throws {
    let outbox = try await client.outbox()
    let receipt = try outbox.publish(Line(from: "ann", text: "hello"), to: "room")
    switch try await receipt.outcome() {
    case .accepted: showAsSent()
    case .refused(let error): showAsFailed(error.reason)
    case .unknown: showAsUncertain()
    case .expired: showAsFailed("It could not be sent in time.")
    case .cancelled, .closed: break
    }
}

func catalogOutboxLists(_ outbox: Outbox) async {
    for await entries in outbox.entryLists {
        for entry in entries {
            switch entry.state {
            case .waiting, .sending: showAsSending(entry.json)
            case .refused, .unknown, .expired: showWithRetry(entry.json, id: entry.id)
            }
        }
    }
}

func catalogOutboxCalls(_ outbox: Outbox, id: OutboxEntry.ID) throws {
    try outbox.retry(id)
    outbox.cancel(id)
}

func catalogOutboxOnDisk(_ client: LifelineClient) async throws {
    let outbox = try await client.outbox(storage: .disk())
    for entry in outbox.entries { show(entry) }
}

func catalogDeliveries(_ room: Room) async {
    for await delivery in room.deliveries {
        switch delivery {
        case .message(let message): show(message)
        case .gap(let gap): showGap(gap.reason, since: gap.since)
        case .failed(let error, willRetry: _): showAsFailed(error.reason)
        }
    }
}

func catalogPusherAccess(session: String) -> Service {
    let service = Service.pusher(
        key: "app-key", host: .pusher(cluster: "eu"),
        access: .endpoint(
            "https://example.com/pusher/auth",
            headers: ["Authorization": "Bearer \(session)"]))
    return service
}

func catalogChatAccess() -> Service {
    let service = Service.nexconn(
        appKey: "app-key", host: .init("chat.example.com"),
        access: .provider { try await fetchChatToken() })
    return service
}

private struct Issued {
    var token: String
    var expires: Date
}

private struct Backend {
    func token(because reason: String) async throws -> Issued { Issued(token: "", expires: Date()) }
}

private let backend = Backend()

func catalogTokens() -> Service {
    let tokens = TokenProvider { request in
        let answer = try await backend.token(because: request.reason.rawValue)
        return AccessToken(answer.token, expires: answer.expires)
    }
    let service = Service.pubnub(
        publishKey: "pub-key", subscribeKey: "sub-key", userID: "ann", tokens: tokens)
    return service
}

func catalogChatTokens(_ tokens: TokenProvider) -> Service {
    let service = Service.nexconn(
        appKey: "app-key", host: .init("chat.example.com"), access: .tokens(tokens))
    return service
}

private struct UserSession {
    func token(refresh: Bool) async throws -> String { "" }
}

private let session = UserSession()

func catalogHeaders() -> Service {
    let service = Service.pusher(
        key: "app-key", host: .pusher(cluster: "eu"),
        access: .endpoint("https://example.com/pusher/auth") { request in
            ["Authorization": "Bearer \(try await session.token(refresh: request.reason == .refused))"]
        })
    return service
}

func catalogEncryption(_ service: Service) -> LifelineClient {
    var options = ClientOptions()
    options.requiresEncryption = true
    let client = LifelineClient(service, options: options)
    return client
}

func catalogHistory(_ room: Room) async throws {
    var page = try await room.channel.history(limit: 50)
    show(page.messages)
    while let older = page.older {
        page = try await room.channel.history(before: older, limit: 50)
        show(page.messages)
    }
}

func catalogFilledGap(_ room: Room, _ delivery: Delivery) async throws {
    switch delivery {
    case .gap(let gap):
        guard gap.reason != .undecryptable else { break }
        for message in try await room.history(last: 100) where !isKnown(message.id) {
            show(message)
        }
    default: break
    }
}

func catalogOwnPresence(_ room: Room) async throws {
    guard room.channel.supports(.ownPresenceData) else { return }
    try await room.presence.setOwnData(["mood": "busy"])
}

private let client = LifelineClient(.pusher(key: "app-key", host: .pusher(cluster: "eu")))

private final class PricesModel {
    private var room: Room?

    func appear() async throws {
        let room = try await client.channel("prices").subscribe()
        self.room = room
        for await message in room.messages { show(message) }
    }

    func disappear() { room?.unsubscribe() }
}

func catalogServiceInMemory() async throws {
    let service = TestService()
    let client = LifelineClient(service.pusher())
    try await client.connect()
    let room = try await client.channel("room").subscribe()
    var messages = room.messages.makeAsyncIterator()
    try await service.deliver("hello", event: "greeting", on: "room")
    let message = await messages.next()
    #expect(message?.event == "greeting")
}

func catalogServer() async throws {
    let server = try await LifelineServer.start(.init(port: 0))
    print(server.port, server.url)
    try await server.stop()
}

func catalogServerInTheTest() async throws {
    let server = try await LifelineServer.start(.init(port: 0))
    let client = LifelineClient(
        .pusher(key: "app-key", host: .init("127.0.0.1", port: server.port, tls: false)),
        options: .init(timing: .fast))
    try await client.connect()
    let room = try await client.channel("room").subscribe()
    var messages = room.messages.makeAsyncIterator()
    try server.publish(channel: "room", event: "greeting", data: "\"hello\"")
    let message = await messages.next()
    #expect(message?.event == "greeting")
    try await server.stop()
}

private func line(for delivery: Delivery) -> String {
    if case .gap = delivery { "Messages may be missing here." } else { "" }
}

@Suite struct CatalogSnippetTests {
    @Test func aGapIsShownToTheUser() {
        let gap = Gap(channel: "room", since: .zero, reason: .connectionLost, at: .zero)
        #expect(line(for: .gap(gap)) == "Messages may be missing here.")
    }

    @Test func theServiceInMemoryAnswers() async throws { try await catalogServiceInMemory() }

    @Test func theServerInTheTestAnswers() async throws { try await catalogServerInTheTest() }
}

func catalogPusherHost() -> PusherClientOptions {
    let own = PusherClientOptions(host: .host("127.0.0.1"), port: 6001, useTLS: false)
    return own
}

func catalogPusherStatus(_ pusher: Pusher) {
    pusher.connection.onStatusChange = { status in
        print(status.state.stringValue(), status.category, status.reason ?? "")
    }
}

func catalogPusherEvents(_ pusher: Pusher) async {
    let channel = pusher.subscribe("my-channel")
    for await event in channel.events(named: "new-price") {
        print(event.data ?? "")
    }
}

func catalogPubNubAsync(_ client: PubNub) async throws {
    let timetoken = try await client.publish(["hello": "world"], to: "room")
    for await received in client.messages(on: "room") {
        if received.precedingGap != nil { print("messages may be missing here") }
        print(timetoken, received.message ?? "")
    }
}

func catalogPusher() {
    let options = PusherClientOptions(
        authMethod: .endpoint(authEndpoint: "http://localhost:9292/pusher/auth"),
        host: .host("127.0.0.1"), port: 6001, useTLS: false)
    let pusher = Pusher(key: "app-key", options: options)
    let channel = pusher.subscribe("my-channel")
    channel.bind(eventName: "new-price") { (event: PusherEvent) in
        print(event.data ?? "")
    }
    pusher.connect()
}

func catalogPubNub() {
    final class Listener: PNObjectEventListener {}

    let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
    configuration.origin = "127.0.0.1:6001"
    configuration.TLSEnabled = false
    let client = PubNub.clientWithConfiguration(configuration)
    let listener = Listener()  // listeners are held weakly, as in the SDK
    client.addListener(listener)
    client.subscribeToChannels(["room"], withPresence: true)
    client.publish(["hello": "world"], toChannel: "room") { status in
        if status.isError { status.retry() }
    }
}

func catalogChat() {
    let params = InitParams(appKey: "app-key")
    params.naviServer = "http://127.0.0.1:6001"
    NCEngine.initialize(params)
}
