import Lifeline

/// Live prices that never look fresher than they are: gaps are shown, statuses too, and the feed knows what became of each price.
///
/// `example-prices [--port 6001] [--prices N]`. It is the feed and the board at once, each with a connection of its own. Stop the
/// server and start it again while it runs. With `--prices` it ends after so many prices on the board.
@main
struct LivePrices {
    struct Price: Codable {
        var company: String
        var cents: Int
        var number: Int

        var dollars: String { "\(cents / 100).\(cents % 100 / 10)\(cents % 10)" }
    }

    static func main() async throws {
        var port = 6001
        var limit = Int.max
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--port": port = arguments.popFirst().flatMap { Int($0) } ?? port
            case "--prices": limit = arguments.popFirst().flatMap { Int($0) } ?? limit
            default: print("example-prices [--port 6001] [--prices N]")
            }
        }
        let service: Service = .pusher(
            key: "app-key", host: ServiceHost("127.0.0.1", port: port, tls: false),
            access: .secret("app-secret", appID: "1001"))
        let feed = Task { try await publishPrices(with: service) }
        try await showPrices(with: service, limit: limit)
        feed.cancel()
        _ = await feed.result
    }

    // The board.

    static func showPrices(with service: Service, limit: Int) async throws {
        let client = LifelineClient(service, options: ClientOptions(timing: .fast))
        let statuses = client.statuses
        let watching = Task { for await status in statuses { print("board: \(status)") } }
        try await client.connect()
        let room = try await client.channel("prices").subscribe()
        var shown = 0
        for await delivery in room.deliveries {
            switch delivery {
            case .message(let message):
                let price = try message.decode(Price.self)
                print("board: \(price.company) \(price.dollars) (\(price.number))")
                shown += 1
            case .gap(let gap):
                print(
                    "board: GAP (\(gap.reason)). Prices of the last \(Int(gap.at.duration(since: gap.since) / .seconds(1)) + 1) s may be missing."
                )
                await fill(room)
            case .failed(let error, let willRetry):
                print("board: \(error)\(willRetry ? "; trying again" : "")")
            }
            if shown >= limit { break }
        }
        await client.disconnect()
        // A loop that is cancelled tells what it had got, the end of the connection too.
        watching.cancel()
        await watching.value
    }

    /// Asks for what may be missing, where the service keeps it; otherwise the board says that it cannot know.
    static func fill(_ room: Room) async {
        do throws(LifelineError) {
            let missed = try await room.history(last: 20)
            print("board: asked for the last \(missed.count) prices again")
        } catch {
            print("board: STALE until the next price. \(error.reason)")
        }
    }

    // The feed.

    static func publishPrices(with service: Service) async throws {
        let client = LifelineClient(service, options: ClientOptions(timing: .fast))
        let channel = client.channel("prices")
        var cents = 10_000
        var number = 0
        while !Task.isCancelled {
            number += 1
            cents += Int.random(in: -50...50)
            // Publishing with the app's secret needs no connection; each price is sent once and never repeated by itself.
            switch try await channel.publish(Price(company: "ACME", cents: cents, number: number), event: "price") {
            case .accepted: break
            case .refused(let error): print("feed: price \(number) was refused. \(error.reason)")
            case .unknown(let error): print("feed: nobody knows about price \(number). \(error.reason)")
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
