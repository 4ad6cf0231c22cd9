import ConnectionEngine
import Testing

/// Rule LV-18.
@Suite struct LivenessTests {
    @Test func `LV-18: each choice has its times, and the others stay`() {
        for liveness in Liveness.allCases {
            let timing = ConnectionTiming.standard.watching(liveness)
            switch liveness {
            case .prompt:
                #expect(timing.activity == .seconds(8) && timing.probe == .seconds(4) && timing.renewal == .seconds(20))
            case .balanced:
                #expect(timing == .standard)
            case .frugal:
                #expect(timing.activity == .seconds(120) && timing.probe == .seconds(30) && timing.renewal == .zero)
                #expect(timing.socket == .seconds(150), "the system's keepalive must not wake the radio before")
            }
            #expect(timing.open == .seconds(10) && timing.request == .seconds(10) && timing.message == .seconds(30))
        }
    }

    @Test func `LV-18: prompt makes nothing slower, and a poll that is never renewed stays so`() {
        #expect(ConnectionTiming.fast.watching(.prompt) == .fast)
        var timing = ConnectionTiming.standard
        timing.renewal = .zero
        #expect(timing.watching(.prompt).renewal == .zero)
    }
}
