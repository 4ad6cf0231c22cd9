import Foundation
import Testing

@testable import LifelineCommand

@Suite("Notices to a service manager and its socket (rules PI-20 to PI-24)", .timeLimit(.minutes(2)))
struct NotifySocketTests {
    @Test("Each notice is assignments on lines of their own, and nothing that others wrote adds one")
    func texts() {
        #expect(SupervisorNotice.ready(status: "Accepts\nSTOPPING=1").text == "READY=1\nSTATUS=Accepts STOPPING=1")
        #expect(
            SupervisorNotice.reloading(monotonicNanoseconds: 1_234_567_899).text
                == "RELOADING=1\nMONOTONIC_USEC=1234567\nSTATUS=Reading the configuration again.")
        #expect(SupervisorNotice.stopping.text.hasPrefix("STOPPING=1\n"))
        #expect(SupervisorNotice.alive.text == "WATCHDOG=1")
    }

    @Test("A path is followed by a zero, an abstract name is led by one")
    func addresses() throws {
        #expect(try NotifyAddress("/run/n").bytes == Array("/run/n\0".utf8))
        #expect(try NotifyAddress("@name").bytes == Array("\0name".utf8))
        let longest = "/" + String(repeating: "a", count: NotifyAddress.capacity - 2)
        #expect(try NotifyAddress(longest).bytes.count == NotifyAddress.capacity)
    }

    @Test(
        "Other addresses are refused",
        arguments: [
            "", "/", "@", "run/notify", "vsock:2:1234", "/a\0b", "/" + String(repeating: "a", count: NotifyAddress.capacity - 1),
        ])
    func unusable(value: String) {
        #expect(throws: NotifyProblem.unusableAddress) { try NotifyAddress(value) }
    }

    @Test("A notice arrives as one datagram at a path", arguments: [false])
    func path(isAbstract: Bool) async throws { try await arrives(isAbstract) }

    #if os(Linux)
        @Test("A notice arrives as one datagram at an abstract name")
        func abstractName() async throws { try await arrives(true) }
    #endif

    private func arrives(_ isAbstract: Bool) async throws {
        let receiver = try NotifyReceiver(isAbstract: isAbstract)
        let socket = NotifySocket(address: try NotifyAddress(receiver.name))
        try socket.send(SupervisorNotice.ready(status: "first").text)
        try socket.send(SupervisorNotice.stopping.text)
        #expect(try await receiver.next() == "READY=1\nSTATUS=first")
        #expect(try await receiver.next() == SupervisorNotice.stopping.text)
    }

    @Test("Where nobody listens, the error names the call and the cause")
    func nobody() throws {
        let socket = NotifySocket(address: try NotifyAddress("/nowhere/\(UUID().uuidString)"))
        #expect(throws: NotifyProblem.system(call: "sendto", code: ENOENT)) { try socket.send("READY=1") }
    }
}
