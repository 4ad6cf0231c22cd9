import Dispatch
import Foundation
import LifelineServer
import PubNub
import ServerStorage
import Testing

/// Files and push registration of the `PubNub` module against our server in one process, on real sockets (rules FI-10 to FI-15, PU-1 to PU-4).
@Suite(.serialized) struct PubNubFilesEndToEndTests {
    private static func client(_ server: LifelineServer, cipherKey: String? = nil) -> PubNub {
        let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
        configuration.origin = "127.0.0.1:\(server.port)"
        configuration.TLSEnabled = false
        configuration.uuid = "ann"
        configuration.timing = .fast
        configuration.cipherKey = cipherKey
        return PubNub.clientWithConfiguration(configuration, callbackQueue: DispatchQueue(label: "files"))
    }

    @Test(.timeLimit(.minutes(1)), arguments: [nil, "enigma"])
    func `A file is sent, listed, downloaded and deleted, with a cipher key and without`(cipherKey: String?) async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let client = Self.client(server, cipherKey: cipherKey)
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let sent = try await client.sendFile(content, name: "caf\u{E9} 1.bin", to: "room", message: ["t": 1])
        let page = try await client.files(of: "room")
        #expect(
            page.files.map(\.name) == ["caf\u{E9} 1.bin"] && page.files.map(\.identifier) == [sent.identifier] && page.next == nil
        )
        // What is stored is what was encrypted.
        #expect((page.files.first?.size == UInt(content.count)) == (cipherKey == nil))
        #expect(try await client.fileContent(sent.identifier, name: sent.name, of: "room") == content)
        let stored = try await client.history(of: "room")
        #expect(stored.messages.count == 1)
        try await client.deleteFile(sent.identifier, name: sent.name, of: "room")
        #expect(try await client.files(of: "room").files.isEmpty)
        await #expect(throws: PNCallError.self) { try await client.fileContent(sent.identifier, name: sent.name, of: "room") }
        try await server.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `A file that is larger than the keyset allows is refused with an error, and nobody is told of it`() async throws {
        var keyset = Keyset.development
        keyset.fileBytes = 1000
        let server = try await LifelineServer.start(.init(port: 0, keysets: [keyset]))
        let client = Self.client(server)
        let error = await #expect(throws: PNCallError.self) {
            try await client.sendFile(Data(count: 1001), name: "a", to: "room")
        }
        #expect(error?.uploadedFile == nil)
        #expect(try await client.files(of: "room").files.isEmpty)
        try await server.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `A device is registered for push notifications by both versions of the API, listed and removed`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let client = Self.client(server)
        let token = Data(repeating: 0xAB, count: 32)
        for device in [
            .apns2(token, topic: "com.app", environment: .production), .apns2(token, topic: "com.app", environment: .development),
            .apns(token), PNPushDevice.fcm("token-1"),
        ] {
            #expect(try await client.pushChannels(of: device) == [])
            try await client.addPush(device, on: ["b", "a", "c d"])
            try await client.removePush(device, on: ["b"])
            #expect(try await client.pushChannels(of: device) == ["a", "c d"])
            try await client.removePush(device)
            #expect(try await client.pushChannels(of: device) == [])
        }
        try await server.stop()
    }
}
