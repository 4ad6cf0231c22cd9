import ConnectionEngine
import Testing

@Suite("LV-16, LV-17: what one message may take, and when a silent poll is renewed")
struct MessageBoundsTests {
    @Test("The profiles")
    func profiles() {
        #expect(ConnectionTiming.standard.message == .seconds(30) && ConnectionTiming.fast.message == .seconds(5))
        #expect(ConnectionTiming.standard.renewal == .seconds(60) && ConnectionTiming.fast.renewal == .seconds(6))
        #expect(ConnectionPolicy.standard.messageBytes == 32 << 20 && ConnectionPolicy.fast.messageBytes == 4 << 20)
    }

    @Test("What is chosen counts, brought into what makes sense")
    func chosen() {
        let policy = ConnectionPolicy.fast
        let times: [(Duration?, Duration)] = [
            (nil, .seconds(5)), (.seconds(40), .seconds(40)), (.zero, .milliseconds(100)), (.seconds(1 << 40), .seconds(3_600)),
        ]
        for (chosen, time) in times { #expect(policy.messageTime(chosen: chosen) == time) }
        let sizes: [(Int?, Int, Int)] = [
            (nil, 1 << 20, 1 << 20), (nil, 1 << 25, 4 << 20), (1 << 25, 1 << 20, 1 << 25), (.max, 1, 1 << 30), (.min, 1, 1 << 10),
        ]
        for (chosen, service, size) in sizes { #expect(policy.messageBytes(chosen: chosen, service: service) == size) }
    }
}
