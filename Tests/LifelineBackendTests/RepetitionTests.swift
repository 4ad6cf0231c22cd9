import ConnectionEngine
import Testing

@testable import LifelineBackend

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("BK-2: which calls are repeated")
struct RepetitionTests {
    private func backend(_ sending: ScriptedSending, _ pauses: Pauses) throws -> PusherBackend {
        try PusherBackend(
            appID: "3", keys: [PusherKey("key", secret: "secret")], address: BackendAddress("127.0.0.1", port: 1, tls: false),
            caller: pauses.caller(sending), unixMilliseconds: { 1_353_088_179_000 })
    }

    private static let refused = ConnectionFailure(.networkUnavailable, "refused", errno: ECONNREFUSED, precedesSending: true)

    @Test(
        "A question is repeated after failures that may pass, twice at most",
        arguments: [
            .success(500), .success(503), .success(429), .failure(ConnectionFailure(.timeout, "no answer")),
            .failure(ConnectionFailure(.networkUnavailable, "reset", errno: ECONNRESET)), .failure(refused),
        ] as [Result<Int, ConnectionFailure>])
    func questions(_ outcome: Result<Int, ConnectionFailure>) async throws {
        let sending = ScriptedSending([outcome.flatMap { ScriptedSending.answer($0) }])
        let pauses = Pauses()
        let backend = try backend(sending, pauses)
        await #expect(throws: BackendError.self) { try await backend.channels() }
        #expect(sending.calls.count == 3)
        #expect(pauses.all == [.milliseconds(250), .milliseconds(500)])
    }

    @Test("A repeated question succeeds")
    func success() async throws {
        let sending = ScriptedSending([ScriptedSending.answer(503), ScriptedSending.answer(200, #"{"channels":{"a":{}}}"#)])
        let channels = try await backend(sending, Pauses()).channels()
        #expect(channels == [PusherChannelInfo(name: "a", isOccupied: true)])
        #expect(sending.calls.count == 2)
    }

    @Test(
        "A trigger that may have taken effect is not repeated",
        arguments: [
            .success(500), .success(429), .failure(ConnectionFailure(.timeout, "no answer")),
            .failure(ConnectionFailure(.networkUnavailable, "reset", errno: ECONNRESET)),
            .failure(ConnectionFailure(.networkUnavailable, "no route", errno: EHOSTUNREACH)),
            .failure(ConnectionFailure(.tlsFailed, "alert")),
        ] as [Result<Int, ConnectionFailure>])
    func triggers(_ outcome: Result<Int, ConnectionFailure>) async throws {
        let sending = ScriptedSending([outcome.flatMap { ScriptedSending.answer($0) }])
        let backend = try backend(sending, Pauses())
        let error = await #expect(throws: BackendError.self) { try await backend.trigger("e", on: ["a"], text: "1") }
        #expect(sending.calls.count == 1)
        #expect(error?.mayHaveTakenEffect == (error?.status != 429))
        await #expect(throws: BackendError.self) { try await backend.terminateConnections(ofUser: "ann") }
        await #expect(throws: BackendError.self) { try await backend.send("e", toUser: "ann", text: "1") }
        await #expect(throws: BackendError.self) { try await backend.trigger([PusherBatchEvent("e", on: "a", data: "1")]) }
        #expect(sending.calls.count == 4)
    }

    @Test("A trigger whose connection was refused is repeated")
    func refusedTrigger() async throws {
        let sending = ScriptedSending([.failure(Self.refused), ScriptedSending.answer(200)])
        try await backend(sending, Pauses()).trigger("e", on: ["a"], text: "1")
        #expect(sending.calls.count == 2)
    }

    @Test("Refusals are not repeated, and keep the service's words on one line", arguments: [400, 401, 403, 404, 413])
    func refusals(_ status: Int) async throws {
        let sending = ScriptedSending([ScriptedSending.answer(status, "not\nso")])
        let backend = try backend(sending, Pauses())
        let error = await #expect(throws: BackendError.self) { try await backend.channels() }
        #expect(sending.calls.count == 1)
        #expect(error?.reason == "The service answered with status \(status): not so")
        #expect(error?.status == status && error?.mayHaveTakenEffect == false)
    }

    @Test("Retry-After replaces the pause, up to five seconds")
    func retryAfter() async throws {
        let headers = { (seconds: String) in ScriptedSending.answer(503, headers: [.init("Retry-After", seconds)]) }
        let sending = ScriptedSending([headers("2"), headers("600"), ScriptedSending.answer(200, #"{"channels":{}}"#)])
        let pauses = Pauses()
        _ = try await backend(sending, pauses).channels()
        #expect(pauses.all == [.seconds(2), .seconds(5)])
    }

    @Test("A web page is no answer of the service")
    func webPage() async throws {
        let sending = ScriptedSending([ScriptedSending.answer(200, "<html>")])
        let backend = try backend(sending, Pauses())
        let error = await #expect(throws: BackendError.self) { try await backend.trigger("e", on: ["a"], text: "1") }
        #expect(error?.code == .malformedResponse && error?.mayHaveTakenEffect == true)
    }
}
