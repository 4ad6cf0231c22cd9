import Lifeline
import Testing

@Suite struct BannerTests {
    @Test func aConnectionThatWorksSaysNothing() {
        let status = ConnectionStatus(phase: .connected, category: .connected, at: .zero)
        #expect(banner(for: status) == nil)
    }

    @Test func aLostConnectionSaysWhenTheNextAttemptStarts() {
        let status = ConnectionStatus(
            previous: .connected, phase: .waiting, category: .timeout, attempt: 2, retryIn: .seconds(4), willRetry: true,
            at: .zero)
        #expect(banner(for: status) == "Connection lost. Next attempt in 4 s.")
    }

    @Test func aFailureNamesItsCause() {
        let cause = ConnectionFailure(.banned, "The account is blocked.")
        let status = ConnectionStatus(previous: .connecting, phase: .failed, category: .banned, cause: cause, at: .zero)
        #expect(banner(for: status) == "Offline: The account is blocked.")
    }
}
