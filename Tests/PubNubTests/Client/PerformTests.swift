import ConnectionEngine
import NIOConcurrencyHelpers
import PubNubProtocol
import Testing

@testable import PubNub

/// The one way of every call: what its status says, and what `retry()` does (rules PK-1 to PK-6).
struct PerformTests {
    /// A call with a parameter of its own, whose answer is the text of the body.
    private struct Echo: PubNubCall {
        var isRefused = false

        func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
            if isRefused { throw .badArguments("No channel.") }
            return PubNubRequest(path: ["echo"], parameters: [PubNubRequest.Parameter("a", "1")])
        }

        func answer(_ body: [UInt8]) throws(PubNubProblem) -> String { String(decoding: body, as: UTF8.self) }
    }

    private func statuses(_ calls: ScriptedCalls, _ call: Echo = Echo()) -> (Fixture, @Sendable () -> [PNAcknowledgmentStatus]) {
        let fixture = Fixture(calls: calls)
        let heard = NIOLockedValueBox<[PNAcknowledgmentStatus]>([])
        fixture.client.perform(call, operation: .timeOperation) { outcome in
            heard.withLockedValue { $0.append(PNAcknowledgmentStatus(status: outcome.statusFacts)) }
        }
        return (fixture, { heard.withLockedValue { $0 } })
    }

    @Test func `success is an acknowledgment`() throws {
        let (fixture, heard) = statuses(ScriptedCalls(.status(200, "[17]")))
        let status = try #require(heard().first)
        #expect(status.category == .PNAcknowledgmentCategory && !status.isError && status.statusCode == 200)
        #expect(status.stringifiedOperation() == "Time")
        let target = try #require(fixture.calls.sent.first).target
        #expect(target.hasPrefix("/echo?a=1&uuid=me"))
        #expect(target.contains("pnsdk=PubNub-ObjC-") && target.contains("deviceid=device"))
    }

    static let failures: [(ScriptedCalls.Answer, PNStatusCategory, Int)] = [
        (.status(400, #"{"message":"Invalid Arguments"}"#), .PNBadRequestCategory, 400),
        (
            .status(403, #"{"message":"Forbidden","payload":{"channels":["a"],"channel-groups":[":g"]}}"#),
            .PNAccessDeniedCategory, 403
        ),
        (.status(414, "{}"), .PNRequestURITooLongCategory, 414), (.status(431, "{}"), .PNRequestURITooLongCategory, 431),
        (.status(500, "{}"), .PNUnknownCategory, 500),
        (.status(404, "{}"), .PNUnknownCategory, 404),
        (.status(200, "<html>sign in</html>", type: "text/html"), .PNMalformedResponseCategory, 500),
        (.status(200, #"{"broken"#), .PNMalformedResponseCategory, 500),
        (.failure(ConnectionFailure(.timeout, "Late.")), .PNTimeoutCategory, 408),
        (.failure(ConnectionFailure(.networkUnavailable, "Refused.")), .PNNetworkIssuesCategory, -1),
        (.failure(ConnectionFailure(.proxyUnavailable, "No proxy.")), .PNNetworkIssuesCategory, -1),
        (.failure(ConnectionFailure(.tlsFailed, "Alert.")), .PNTLSConnectionFailedCategory, 525),
        (.failure(ConnectionFailure(.tlsUntrusted, "Expired.")), .PNTLSUntrustedCertificateCategory, 526),
    ]

    @Test(arguments: failures.indices) func `each failure has its category and code`(index: Int) throws {
        let (answer, category, code) = Self.failures[index]
        let (_, heard) = statuses(ScriptedCalls(answer))
        let status = try #require(heard().first)
        #expect(status.category == category && status.statusCode == code)
        #expect(status.isError && !status.willAutomaticallyRetry)
        #expect(status.failure != nil)
    }

    @Test func `what was denied is named`() throws {
        let (_, heard) = statuses(ScriptedCalls(Self.failures[1].0))
        let data = try #require(heard().first).errorData
        #expect(data.channels == ["a"] && data.channelGroups == [":g"] && data.information == "Forbidden")
    }

    @Test func `an error without words says so`() throws {
        let (_, heard) = statuses(ScriptedCalls(.status(500, "{}")))
        #expect(try #require(heard().first).errorData.information == "No Error Information")
    }

    @Test func `retry makes the same call with the same completion`() throws {
        let (fixture, heard) = statuses(ScriptedCalls(.status(500, "{}"), .status(200, "[1]")))
        try #require(heard().first).retry()
        #expect(heard().map(\.category) == [.PNUnknownCategory, .PNAcknowledgmentCategory])
        let targets = fixture.calls.sent.map { $0.target.prefix { $0 != "&" } }
        #expect(targets == ["/echo?a=1", "/echo?a=1"])
        // Each request has a number of its own.
        #expect(fixture.calls.sent[0].target != fixture.calls.sent[1].target)
    }

    @Test func `refused arguments are a bad request and nothing is sent`() throws {
        let (fixture, heard) = statuses(ScriptedCalls(), Echo(isRefused: true))
        let status = try #require(heard().first)
        #expect(status.category == .PNBadRequestCategory && status.statusCode == 400)
        #expect(status.errorData.information == "No channel.")
        #expect(fixture.calls.sent.isEmpty)
    }

    @Test func `releasing the client cancels what is under way and says so once`() {
        let calls = ScriptedCalls(.never)
        let heard = NIOLockedValueBox<[PNErrorStatus?]>([])
        do {
            let fixture = Fixture(calls: calls)
            fixture.client.perform(Echo(), operation: .timeOperation) { outcome in
                heard.withLockedValue { $0.append(outcome.errorStatus()) }
            }
            #expect(heard.withLockedValue { $0.isEmpty })
        }
        #expect(calls.cancelled == 1)
        let status = heard.withLockedValue { $0.first ?? nil }
        #expect(status?.category == .PNCancelledCategory && status?.statusCode == 499)
        #expect(status?.isError == false)
        // Repeating it makes no request, and says so (rule PK-78).
        status?.retry()
        #expect(heard.withLockedValue { $0.map { $0?.category } } == [.PNCancelledCategory, .PNCancelledCategory])
        #expect(calls.sent.count == 1)
    }

    @Test func `a new token goes with the next request`() throws {
        let fixture = Fixture(calls: ScriptedCalls(.status(200, "[1]")))
        fixture.client.setAuthToken("token")
        fixture.client.perform(Echo(), operation: .timeOperation) { _ in }
        #expect(try #require(fixture.calls.sent.first).target.contains("auth=token"))
        #expect(fixture.engine.log == ["auth"])
        #expect(fixture.client.currentConfiguration().authKey == "token")
    }

    @Test func `descriptions hold no token`() throws {
        let fixture = Fixture(calls: ScriptedCalls(.status(403, "{}"))) { $0.authKey = "token" }
        let heard = NIOLockedValueBox<PNErrorStatus?>(nil)
        fixture.client.perform(Echo(), operation: .timeOperation) { outcome in
            heard.withLockedValue { $0 = outcome.errorStatus() }
        }
        let status = try #require(heard.withLockedValue { $0 })
        #expect(status.authKey == "token")
        #expect(!"\(status)".contains("token"))
        #expect(status.clientRequest?.url?.host == "ps.pndsn.com")
    }
}
