import Foundation
import HTTPTransport
import NIOCore
import PusherProtocol
import TransportCommon
import WebSocketFraming
import WireCoding

/// The steps of the Pusher protocol, from the WebSocket upgrade to a published message that is received.
extension Doctor {
    private static let subprotocol = "pusher-channels-protocol-7"

    mutating func upgrade() async throws -> StepVerdict {
        let link = try await reopen()
        if target.usesTLS { _ = try await secure(link) }
        var random = SystemRandom()
        let handshake = ClientHandshake(key: WebSocketKey(using: &random), subprotocols: [Self.subprotocol])
        let fields = handshake.requestFields.map { "\($0.name): \($0.value)\r\n" }.joined()
        let path = "\(target.appPath)?client=lifeline-doctor&version=\(PackageVersion.current)&protocol=7"
        let answer: ProbeAnswer
        do {
            answer = try await link.ask(
                "GET \(path) HTTP/1.1\r\nHost: \(target.hostHeader)\r\nUser-Agent: lifeline-doctor\r\n\(fields)\r\n",
                within: amount)
        } catch {
            throw await explainSilence(error)
        }
        guard answer.status == 101 else {
            throw Finding.upgrade(
                status: answer.status, isPage: answer.isPage, location: answer.first("location"), path: target.appPath)
        }
        let picked: String?
        do throws(ClientHandshake.Fault) {
            picked = try handshake.check(answer.fields.map { (name: $0.name, value: $0.value) })
        } catch {
            throw Finding.malformedUpgrade(error.description)
        }
        socket = ProbeSocket(link)
        return .passed(picked.map { "status 101, subprotocol \($0)" } ?? "status 101, no subprotocol (clients do without)")
    }

    mutating func greet() async throws -> StepVerdict {
        guard let socket else { return .skipped("there is no connection") }
        let envelope: PusherEnvelope
        do {
            envelope = try await nextEvent(on: socket, until: deadline, after: "upgrade")
        } catch is ProbeTimeout {
            throw Finding.neverGreets
        }
        if envelope.event == "pusher:error", let words = envelope.data.flatMap({ try? JSONValue(parsing: $0) }),
            let code = words["code"]?.integer
        {
            throw Finding.pusher(
                code: code, words: words["message"]?.string ?? "", key: target.key, path: target.appPath)
        }
        guard envelope.event == "pusher:connection_established", let data = envelope.data,
            let values = try? JSONValue(parsing: data), let id = values["socket_id"]?.string
        else { throw Finding.notPusher(envelope.event) }
        socketID = id
        let activity = values["activity_timeout"]?.integer.map { "activity timeout \($0) s" } ?? "no activity timeout"
        return .passed("protocol 7, socket \(Finding.quote(id)), \(activity)")
    }

    func ping() async throws -> StepVerdict {
        guard let socket else { return .skipped("there is no connection") }
        await socket.send(PusherClientFrames.ping)
        do {
            _ = try await event(on: socket, after: "ping") { $0.event == "pusher:pong" }
        } catch is ProbeTimeout {
            throw Finding.noPong
        }
        return .passed("pusher:ping was answered")
    }

    mutating func subscribe() async throws -> StepVerdict {
        guard let socket else { return .skipped("there is no connection") }
        let channel = target.channel ?? "lifeline-doctor"
        if PusherChannelKind(of: channel).needsAuthorization, target.secret == nil {
            return .skipped("\(channel) has to be authorised: give --secret-file or --config")
        }
        try await subscribe(to: channel, on: socket)
        subscribed = channel
        return .passed("\(channel) is confirmed")
    }

    func subscribePrivately() async throws -> StepVerdict {
        guard let socket else { return .skipped("there is no connection") }
        guard target.secret != nil else { return .skipped("give --secret-file or --config") }
        let channel = "private-lifeline-doctor"
        try await subscribe(to: channel, on: socket)
        return .passed("\(channel) is confirmed, so the secret is right")
    }

    private func subscribe(to channel: String, on socket: ProbeSocket) async throws {
        let kind = PusherChannelKind(of: channel)
        let member = kind.access == .presence ? #"{"user_id":"lifeline-doctor"}"# : nil
        let auth = kind.needsAuthorization ? target.secret : nil
        await socket.send(
            PusherClientFrames.subscribe(
                channel: channel,
                auth: auth.map {
                    PusherSignature.channelAuth(
                        socketID: socketID, channel: channel, channelData: member, key: target.key, secret: $0)
                }, channelData: member))
        let answer: PusherEnvelope
        do {
            answer = try await event(on: socket, after: "subscription") { envelope in
                envelope.event == "pusher:error"
                    || envelope.channel == channel
                        && ["pusher_internal:subscription_succeeded", "pusher:subscription_error"].contains(envelope.event)
            }
        } catch is ProbeTimeout {
            throw Finding.notConfirmed(channel)
        }
        if answer.event != "pusher_internal:subscription_succeeded" {
            let words = answer.data.flatMap { try? JSONValue(parsing: $0) }
            throw Finding.subscriptionRefused(
                channel, words: words?["error"]?.string ?? words?["message"]?.string ?? "", isSigned: auth != nil)
        }
    }

    /// Publishes over the HTTP API and waits for the message on the connection.
    func publish() async throws -> StepVerdict {
        guard let socket, let subscribed else { return .skipped("there is no subscription") }
        guard let secret = target.secret else { return .skipped("publishing needs --secret-file or --config") }
        let start = ContinuousClock.now
        let token = UUID().uuidString
        let body: JSONValue = ["name": "lifeline-doctor", "channels": [.string(subscribed)], "data": .string("\"\(token)\"")]
        let bytes = Array(body.text.utf8)
        let path = "/apps/\(PercentEncoding.encode(target.appID))/events"
        let query = PusherRequestSignature.signed(
            method: "POST", path: path, body: bytes, key: target.key, secret: secret, timestamp: Int(clamping: unixTime()))
        let parameters = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        let call = HTTPCall(
            method: "POST", url: "\(target.api)\(path)?\(parameters)", headers: [HTTPField("Content-Type", "application/json")],
            body: bytes)
        let answer: HTTPCallAnswer
        do {
            answer = try await HTTPCaller(trustRoots: roots, proxy: target.proxy).send(call, timeout: limit)
        } catch {
            throw Finding.publishFailed(error.reason)
        }
        guard answer.isSuccess else {
            throw Finding.publishRefused(
                status: answer.status, words: String(decoding: answer.body.prefix(400), as: UTF8.self), appID: target.appID)
        }
        let accepted = ContinuousClock.now - start
        do {
            _ = try await event(on: socket, after: "publication") { $0.channel == subscribed && $0.data?.contains(token) == true }
        } catch is ProbeTimeout {
            throw Finding.notDelivered(subscribed)
        }
        return .passed(
            "published over HTTP in \(Int(accepted / .milliseconds(1))) ms, received after \(Int((ContinuousClock.now - start) / .milliseconds(1))) ms"
        )
    }

    // MARK: Reading

    /// The next event that meets a condition. Other events are skipped, and pings are answered.
    private func event(
        on socket: ProbeSocket, after what: String, where fits: @Sendable (PusherEnvelope) -> Bool
    ) async throws -> PusherEnvelope {
        let deadline = deadline
        while true {
            let envelope = try await nextEvent(on: socket, until: deadline, after: what)
            if fits(envelope) { return envelope }
        }
    }

    /// The next event that the server sends. Throws a finding if the server sends a close frame instead.
    private func nextEvent(
        on socket: ProbeSocket, until deadline: ContinuousClock.Instant, after what: String
    ) async throws -> PusherEnvelope {
        while true {
            let message: ProbeSocket.Message
            do {
                message = try await socket.next(until: deadline)
            } catch let error as ProbeTimeout {
                throw error
            } catch {
                throw Finding.cut(after: what, close: nil)
            }
            switch message {
            case .close(let code?, let reason) where code >= 4000:
                throw Finding.pusher(code: code, words: reason, key: target.key, path: target.appPath)
            case .close(let code, _): throw Finding.cut(after: what, close: code)
            case .text(let text):
                guard let envelope = try? PusherEnvelope(parsing: text) else { throw Finding.notPusher(nil) }
                if envelope.event == "pusher:ping" {
                    await socket.send(PusherClientFrames.pong)
                    continue
                }
                return envelope
            }
        }
    }
}
