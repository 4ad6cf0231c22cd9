import ConnectionEngine
import Foundation
import Testing
import WebSocketTransport

@testable import NexconnChatSDK

@Suite("What one message may take")
struct MessageBoundsTests {
    private func transport(_ params: InitParams) -> WebSocketTransportConfiguration {
        let settings = EngineSettings(params)
        return settings.transport(settings.timing.policy)
    }

    @Test("NC-43: time and bytes are the timing's and the service's, unless they are chosen")
    func bounds() {
        let params = InitParams(appKey: "app-key")
        #expect(transport(params).messageTimeout == .seconds(30) && transport(params).limits.messageBytes == 1 << 20)
        #expect(transport(params).liveness.total == 24)
        params.timing = .fast
        #expect(transport(params).messageTimeout == .seconds(5) && transport(params).limits.messageBytes == 1 << 20)
        #expect(transport(params).liveness.total == 3)
        params.messageTimeout = 2
        params.maximumMessageSize = 4 << 20
        #expect(transport(params).messageTimeout == .seconds(2) && transport(params).limits.messageBytes == 4 << 20)
        #expect(transport(params).limits.fragments == 2_048)
        for odd in [TimeInterval.nan, -.infinity] {
            params.messageTimeout = odd
            #expect(transport(params).messageTimeout == .milliseconds(100))
        }
    }
}
