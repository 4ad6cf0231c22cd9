import ConnectionEngine
import EngineTesting
import NIOConcurrencyHelpers
import Testing

@testable import Lifeline

@Suite("Tokens that expire (LL-80 to LL-84)", .timeLimit(.minutes(1)))
struct TokenSourceTests {
    /// An app that answers as a test says, and what it was asked.
    private final class App: Sendable {
        typealias Credential = TokenSource<String>.Credential

        private let requests = NIOLockedValueBox<[TokenRequest]>([])
        private let answer: @Sendable (Int, TokenRequest) async throws(ConnectionFailure) -> Credential

        init(_ answer: @escaping @Sendable (Int, TokenRequest) async throws(ConnectionFailure) -> Credential) {
            self.answer = answer
        }

        var reasons: [TokenRequest.Reason] { requests.withLockedValue { $0.map(\.reason) } }
        var refusals: [String?] { requests.withLockedValue { $0.map(\.refusal?.reason) } }

        func ask(_ request: TokenRequest) async throws(ConnectionFailure) -> Credential {
            let number = requests.withLockedValue { requests in
                requests.append(request)
                return requests.count
            }
            return try await answer(number, request)
        }

        /// Waits until it was asked so many times.
        func isAsked(_ count: Int) async { while reasons.count < count, !Task.isCancelled { await Task.yield() } }
    }

    private let timers = ManualTimers()
    private static let start = 1_700_000_000

    private func source(margin: Duration = .seconds(60), _ app: App) -> TokenSource<String> {
        TokenSource(
            margin: margin, timers: timers,
            unixSeconds: { [timers] in Self.start + Int(timers.now.nanoseconds / 1_000_000_000) - 1 },
            ask: { request throws(ConnectionFailure) in try await app.ask(request) })
    }

    @Test("LL-80: However many need a token, the app is asked once, and not again while the token holds")
    func once() async throws {
        let isHeld = NIOLockedValueBox(true)
        let app = App { number, _ in
            while isHeld.withLockedValue({ $0 }) { await Task.yield() }
            return .init(value: "t\(number)", expires: nil)
        }
        let source = source(app)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await source.value().value } }
            await app.isAsked(1)
            for _ in 0..<100 { await Task.yield() }
            isHeld.withLockedValue { $0 = false }
            for try await token in group { #expect(token == "t1") }
        }
        #expect(try await source.value().value == "t1")
        #expect(app.reasons == [.first])
    }

    @Test("LL-81: A token is renewed some time before it expires, and the news tells of it")
    func renewal() async throws {
        let app = App { number, _ in
            .init(value: "t\(number)", expires: Self.start + number * 600)
        }
        let source = source(app)
        let news = NIOLockedValueBox<[String]>([])
        source.observe { told in
            news.withLockedValue { news in
                switch told {
                case .renewed(let token, let reason): news.append("\(token) \(reason)")
                case .failed(let error): news.append("\(error.code)")
                }
            }
        }
        #expect(try await source.value().value == "t1")
        timers.advance(by: .seconds(539))
        #expect(app.reasons == [.first])
        timers.advance(by: .seconds(1))
        await app.isAsked(2)
        while news.withLockedValue({ $0.isEmpty }), !Task.isCancelled { await Task.yield() }
        #expect(app.reasons == [.first, .expiring])
        #expect(try await source.value().value == "t2")
        #expect(news.withLockedValue { $0 } == ["t2 expiring"])
    }

    @Test("LL-81: A renewal that fails is tried again, and the token is used for as long as it holds")
    func failedRenewal() async throws {
        let app = App { number, request throws(ConnectionFailure) in
            if request.reason == .expiring, number < 4 { throw ConnectionFailure(.networkUnavailable, "Away.") }
            return .init(value: "t\(number)", expires: Self.start + (number == 1 ? 100 : 100_000))
        }
        let source = source(margin: .seconds(30), app)
        #expect(try await source.value().value == "t1")
        timers.advance(by: .seconds(70))
        await app.isAsked(2)
        #expect(try await source.value().value == "t1")
        for count in 3...4 {
            while timers.runningCount == 0, !Task.isCancelled { await Task.yield() }
            timers.advance(by: .seconds(5))
            await app.isAsked(count)
        }
        while try await source.value().value != "t4", !Task.isCancelled { await Task.yield() }
        #expect(app.reasons == [.first, .expiring, .expiring, .expiring])
    }

    @Test("LL-81: A token that has expired is not used")
    func expired() async throws {
        let app = App { number, request throws(ConnectionFailure) in
            if number == 2 { throw ConnectionFailure(.networkUnavailable, "Away.") }
            return .init(value: "t\(number)", expires: Self.start + number * 10)
        }
        let source = source(app)
        #expect(try await source.value().value == "t1")
        // The machine has slept: timers did not fire.
        let asleep = TokenSource<String>(
            margin: .seconds(1), timers: timers, unixSeconds: { Self.start + 1_000 },
            ask: { request throws(ConnectionFailure) in .init(value: "\(request.reason)", expires: Self.start + 999) })
        #expect(try await asleep.value().value == "first")
        #expect(try await asleep.value().value == "expiring")
    }

    @Test("LL-82: A refused token is replaced, once, and the app hears why")
    func refused() async throws {
        let app = App { number, _ in .init(value: "t\(number)", expires: nil) }
        let source = source(app)
        let (_, number) = try await source.value()
        let error = LifelineError(.accessDenied, "It was revoked.")
        source.refuse(error, number: number)
        #expect(try await source.value().value == "t2")
        // Who still used the first one does not throw the second one away.
        source.refuse(error, number: number)
        #expect(try await source.value().value == "t2")
        #expect(app.reasons == [.first, .refused] && app.refusals == [nil, "It was revoked."])
    }

    @Test("LL-83: The app's code is cancelled with the last one who waits for it, and asked again by the next one")
    func cancelled() async throws {
        let app = App { number, _ throws(ConnectionFailure) in
            if number > 1 { return .init(value: "t\(number)", expires: nil) }
            while !Task.isCancelled { await Task.yield() }
            throw ConnectionFailure(.cancelled, "Cancelled.")
        }
        let source = source(app)
        let waiting = Task { try await source.value().value }
        await app.isAsked(1)
        waiting.cancel()
        let error = await #expect(throws: ConnectionFailure.self) { try await waiting.value }
        #expect(error?.category == .cancelled)
        #expect(try await source.value().value == "t2")
    }
}
