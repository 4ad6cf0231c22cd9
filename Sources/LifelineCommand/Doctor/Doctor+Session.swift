import ConnectionEngine
import Foundation
import Lifeline
import NIOConcurrencyHelpers

/// The steps for PubNub and chat: a client connects, publishes a message and receives it.
extension Doctor {
    private var service: Service? {
        switch target.service {
        case .pusher: nil
        case .pubnub:
            .pubnub(
                publishKey: target.publishKey, subscribeKey: target.key, userID: Self.user, host: target.serviceHost,
                authToken: target.token, secretKey: target.secret)
        case .nexconn:
            access.map {
                .nexconn(
                    appKey: target.key, host: target.serviceHost, path: target.prefix.isEmpty ? nil : target.prefix, access: $0,
                    deviceClass: .web)
            }
        }
    }

    private var access: NexconnAccess? {
        if let token = target.token { return .token(token) }
        return target.secret.map { .secret($0, user: target.user ?? Self.user) }
    }

    private static let user = "lifeline-doctor"
    private var channel: String { target.channel ?? Self.user }

    mutating func openSession() async throws -> StepVerdict {
        guard !target.isPubNubBelowPath else {
            return .skipped(
                "PubNub clients of this package and most others take no path: only those that do, such as the one for Python, can connect here"
            )
        }
        guard let service else { return .skipped("give --token, or --secret to have one issued") }
        let client = LifelineClient(service, options: options)
        self.client = client
        do throws(LifelineError) {
            room = try await enter(client)
        } catch {
            await client.disconnect()
            throw Finding.session(error, service: target.service)
        }
        return .passed("connected, and \(channel) is subscribed")
    }

    private var options: ClientOptions {
        ClientOptions(timing: .fast, certificateAuthorityFile: authorityFile, proxy: target.proxy)
    }

    private func enter(_ client: LifelineClient) async throws(LifelineError) -> Room {
        let (channel, limit) = (client.channel(channel), limit)
        // A PubNub client connects when it has a channel; a chat client needs its connection before it can subscribe.
        if target.service == .nexconn { try await client.connect(timeout: limit) }
        let cause = NIOLockedValueBox<ConnectionFailure?>(nil)
        let connecting = Task { try? await client.connect(timeout: limit) }
        // The cause of a failed attempt to connect is read from the statuses, because a client that keeps trying throws no error.
        let watching = Task {
            for await status in client.statuses {
                guard let failure = status.cause else { continue }
                cause.withLockedValue { $0 = failure }
                if Self.isPlain(failure.category) { await client.disconnect() }
            }
        }
        defer {
            connecting.cancel()
            watching.cancel()
        }
        do throws(LifelineError) {
            return try await within(limit) { () async throws(LifelineError) in try await channel.subscribe() }
        } catch {
            guard let cause = cause.withLockedValue({ $0 }), cause.category != .disconnected else { throw error }
            throw LifelineError(LifelineError.Code(cause.category), cause.reason, number: cause.code)
        }
    }

    /// Whether a connection failure of this category ends the step at once, because a retry within the step's time limit would fail in the
    /// same way.
    private static func isPlain(_ category: StatusCategory) -> Bool {
        [.accessDenied, .badRequest, .malformedResponse, .refused, .tlsUntrusted, .tlsFailed].contains(category)
    }

    mutating func exchange() async throws -> StepVerdict {
        guard let client, let room else { return .skipped("there is no session") }
        let (token, start, messages, limit) = (UUID().uuidString, ContinuousClock.now, room.messages, limit)
        self.client = nil
        var sender: LifelineClient?
        if let other = otherService { sender = LifelineClient(other, options: options) }
        let verdict: Result<StepVerdict, LifelineError>
        do throws(LifelineError) {
            let publishing: Room = if let sender { try await enter(sender) } else { room }
            let outcome = try await within(limit) { () async throws(LifelineError) in
                try await publishing.publish(json: "{\"content\":\"\(token)\"}")
            }
            switch outcome {
            case .accepted: break
            case .refused(let error), .unknown(let error): throw error
            }
            if target.service == .nexconn, sender == nil {
                verdict = .success(.passed("published; users do not receive their own messages: give --secret to test that too"))
            } else {
                try await within(limit) { () async throws(LifelineError) in
                    for await message in messages where message.text.contains(token) { return }
                    throw LifelineError(.timeout, "The published message did not arrive in time.")
                }
                let time = Int((ContinuousClock.now - start) / .milliseconds(1))
                verdict = .success(.passed("published and received after \(time) ms"))
            }
        } catch {
            verdict = .failure(error)
        }
        await sender?.disconnect()
        await client.disconnect()
        switch verdict {
        case .success(let verdict): return verdict
        case .failure(let error) where error.code == .timeout: throw Finding.notDelivered(channel)
        case .failure(let error): throw Finding.session(error, service: target.service)
        }
    }

    /// A service for a second user, because chat does not send a message back to its sender.
    private var otherService: Service? {
        guard target.service == .nexconn, target.token == nil, let secret = target.secret else { return nil }
        return .nexconn(
            appKey: target.key, host: target.serviceHost, path: target.prefix.isEmpty ? nil : target.prefix,
            access: .secret(secret, user: Self.user + "-2"), deviceClass: .web)
    }

    /// Runs `body`, and throws when it exceeds the time limit.
    private func within<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws(LifelineError) -> Value
    ) async throws(LifelineError) -> Value {
        let result = await withTaskGroup(of: Result<Value, LifelineError>.self) { group in
            group.addTask {
                do throws(LifelineError) { return .success(try await body()) } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return .failure(LifelineError(.timeout, "The service did not answer in time."))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(LifelineError(.cancelled, "The check was cancelled."))
        }
        return try result.get()
    }
}
