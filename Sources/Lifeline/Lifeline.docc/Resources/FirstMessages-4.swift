import Lifeline

struct Line: Codable {
    var from: String
    var text: String
}

@main
struct FirstMessages {
    static func main() async throws {
        let service = Service.pusher(
            key: "app-key", host: ServiceHost("127.0.0.1", port: 6001, tls: false),
            access: .secret("app-secret", appID: "1001"))
        let client = LifelineClient(service)

        let statuses = client.statuses
        Task {
            for await status in statuses { print("--", status) }
        }
        try await client.connect(timeout: .seconds(20))

        let room = try await client.channel("chatroom").subscribe()
        let messages = room.messages
        let reading = Task {
            for await message in messages {
                if message.precedingGap != nil { print("-- messages may be missing here") }
                let line = try message.decode(Line.self)
                print("\(line.from): \(line.text)")
            }
        }

        switch try await room.publish(Line(from: "ann", text: "hello")) {
        case .accepted: print("-- sent")
        case .refused(let error): print("-- not sent:", error.reason)
        case .unknown(let error): print("-- perhaps sent:", error.reason)
        }
        try await reading.value
    }
}
