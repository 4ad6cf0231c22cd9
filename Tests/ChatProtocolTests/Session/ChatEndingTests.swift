import ChatProtocol
import ConnectionEngine
import Testing

/// Why sessions end, and what follows. Rules NS-23 to NS-34.
@Suite struct ChatEndingTests {
    static let final: [(Int, StatusCategory)] = [
        (31004, .credentialsRejected), (31020, .credentialsRejected), (31027, .credentialsRejected), (31009, .banned),
        (31011, .banned), (31010, .kicked), (31023, .kicked), (31029, .accountDeleted), (31002, .refused), (31005, .refused),
        (31008, .refused), (31024, .refused), (31025, .refused), (31030, .refused), (30015, .refused), (99_999, .refused),
    ]

    @Test(arguments: final)
    func `A goodbye for good ends in failed, with its number, and nothing more is tried`(code: Int, category: StatusCategory) {
        for isWelcome in [false, true] {
            let script = ChatSessionScript()
            script.handle(.connect(within: nil))
            script.handle(.opened(script.attempt))
            if isWelcome { script.welcome() }
            let attempt = script.attempt
            script.bye(code)
            let last = script.changes.last
            #expect(last?.phase == .failed)
            #expect(last?.category == category)
            #expect(last?.willRetry == false)
            #expect(last?.cause?.chatCode == ChatErrorCode(code))
            #expect(last?.cause.map { ChatErrorCode($0) } == ChatErrorCode(code))
            script.advance(.seconds(86_400))
            script.handle(.networkChanged(.available))
            #expect(script.attempt == attempt)
            // A new token or not: only asking starts again.
            script.handle(.connect(within: nil))
            #expect(script.attempt > attempt)
        }
    }

    /// Whatever the flag says: coming back by itself would only go round in a circle.
    @Test(arguments: [31004, 31020, 31009, 31011, 31010, 31023, 31029])
    func `These are for good whatever the server says about retrying`(code: Int) {
        let script = ChatSessionScript.connected()
        script.bye(code, retry: true)
        #expect(script.changes.last?.phase == .failed)
    }

    @Test(
        arguments: [(31024, .overloaded), (30015, .overloaded), (32061, .serverRestart), (77_777, .serverRestart)]
            as [(Int, StatusCategory)])
    func `A goodbye for now is followed by another attempt, also without automatic retries`(
        code: Int, category: StatusCategory
    ) {
        var policy = ConnectionPolicy.chat(timing: .fast)
        for isAutomatic in [true, false] {
            policy.retriesAutomatically = isAutomatic
            let script = ChatSessionScript(policy: policy)
            script.connect()
            script.bye(code, retry: true)
            #expect(script.changes.last?.phase == .waiting)
            #expect(script.changes.last?.category == category)
            script.advance(.seconds(3))
            #expect(script.changes.last?.phase == .connecting)
        }
    }

    @Test func `The server's pause is kept, up to the longest one of the policy`() {
        for (after, least) in [(2_000, 2.0), (1_000_000, 3.0), (-5, 0.0)] {
            let script = ChatSessionScript.connected()
            script.bye(32061, retry: true, after: after)
            let pause = script.changes.last?.retryIn?.inSeconds ?? -1
            #expect(pause >= least && pause <= 3)
        }
    }

    static let closes: [(Int?, StatusCategory, ConnectionPhase)] = [
        (4000, .refused, .failed), (4001, .serverRestart, .waiting), (1001, .serverRestart, .waiting),
        (1012, .serverRestart, .waiting), (1013, .overloaded, .waiting), (1002, .malformedResponse, .waiting),
        (1003, .malformedResponse, .waiting), (1009, .malformedResponse, .waiting), (1000, .unexpectedDisconnect, .waiting),
        (1011, .unexpectedDisconnect, .waiting), (4321, .unexpectedDisconnect, .waiting), (1005, .unexpectedDisconnect, .waiting),
        (nil, .unexpectedDisconnect, .waiting),
    ]

    @Test(arguments: closes)
    func `A close without a goodbye goes by its code`(code: Int?, category: StatusCategory, phase: ConnectionPhase) {
        let script = ChatSessionScript.connected()
        script.close(code)
        #expect(script.changes.last?.category == category)
        #expect(script.changes.last?.phase == phase)
        #expect(script.changes.last?.cause?.chatCode == nil)
    }

    @Test(
        arguments: [
            (.credentialsRejected, 31004), (.kicked, 31010), (.banned, 31009), (.accountDeleted, 31029), (.timeout, 34006),
            (.proxyUnavailable, 34245), (.badRequest, 33003), (.accessDenied, 25405), (.overloaded, 30015), (.unknown, 31000),
            (.networkUnavailable, 30002), (.disconnected, 30002), (.malformedResponse, 30002), (.tlsUntrusted, 30002),
        ] as [(StatusCategory, Int)])
    func `Every failure has a number`(category: StatusCategory, code: Int) {
        #expect(ChatErrorCode(ConnectionFailure(category, "")) == ChatErrorCode(code))
        #expect(ChatErrorCode(ConnectionFailure(category, "", closeCode: 1006)) == ChatErrorCode(code))
        #expect(ChatErrorCode(ConnectionFailure(category, "", closeCode: 4001)) == ChatErrorCode(code))
    }

    @Test(arguments: [405, 20604, 22406, 22408, 23406, 25101, 25407, 30016, 33002, -101])
    func `The number of a refusal reaches the caller`(code: Int) {
        let failure = ConnectionFailure(ChatRequestRefusal(ChatErrorCode(code), "No."))
        #expect(ChatErrorCode(failure) == ChatErrorCode(code))
        #expect(failure.chatCode == ChatErrorCode(code))
    }

    @Test func `A proxy that does not work is final`() {
        let script = ChatSessionScript()
        script.handle(.connect(within: nil))
        script.handle(.closed(script.attempt, ConnectionFailure(.proxyUnavailable, "No.", httpStatus: 407)))
        #expect(script.changes.last?.phase == .failed)
    }
}
