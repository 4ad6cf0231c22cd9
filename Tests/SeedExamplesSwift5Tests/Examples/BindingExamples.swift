// The Swift examples of PusherSwift's README, sections Binding to events and Triggering events. Comments say where an example had
// to be adjusted. What the examples print goes to `say`, so that tests can read it.
import Foundation
import PusherSwift

struct BindingExamples {
    let pusher: Pusher
    let say: (String) -> Void

    // Per-channel events.
    func perChannel() -> PusherChannel {
        let myChannel = pusher.subscribe("my-channel")

        myChannel.bind(
            eventName: "new-price",
            eventCallback: { (event: PusherEvent) -> Void in
                if let data: String = event.data {
                    // `data` is a string that you can parse if necessary.
                    say(data)
                }
            })
        return myChannel
    }

    // Per-channel events: the legacy approach. Adjusted: `let` in front of the second binding, as Swift has it since version 3.
    func perChannelLegacy() -> PusherChannel {
        let myChannel = pusher.subscribe("my-channel")

        myChannel.bind(
            eventName: "new-price",
            callback: { (data: Any?) -> Void in
                if let data = data as? [String: Any] {
                    if let price = data["price"] as? String, let company = data["company"] as? String {
                        say("\(company) is now priced at \(price)")
                    }
                }
            })
        return myChannel
    }

    // Global events.
    func global() {
        pusher.subscribe("my-channel")

        pusher.bind(eventCallback: { (event: PusherEvent) -> Void in
            if let data: String = event.data {
                // `data` is a string that you can parse if necessary.
                say(data)
            }
        })
    }

    // Global events: the legacy approach. Adjusted: the cast of `event`, and `let`.
    func globalLegacy() {
        pusher.subscribe("my-channel")

        pusher.bind(callback: { (event: Any?) -> Void in
            if let event = event as? [String: Any], let data = event["data"] as? [String: Any] {
                if let commenter = data["commenter"] as? String, let message = data["message"] as? String {
                    say("\(commenter) wrote \(message)")
                }
            }
        })
    }

    // Parsing event data: JSONDecoder. Adjusted: no commas between the properties of a struct.
    struct PriceUpdate: Codable {
        public let company: String
        public let price: Int
    }

    func decoder() -> PusherChannel {
        let myChannel = pusher.subscribe("my-channel")
        let decoder = JSONDecoder()

        myChannel.bind(
            eventName: "price-update",
            eventCallback: { (event: PusherEvent) -> Void in
                guard let json: String = event.data,
                    let jsonData: Data = json.data(using: .utf8)
                else {
                    say("Could not convert JSON string to data")
                    return
                }

                let decoded = try? decoder.decode(PriceUpdate.self, from: jsonData)
                guard let priceUpdate = decoded else {
                    say("Could not decode price update")
                    return
                }

                say("\(priceUpdate.company) is now priced at \(priceUpdate.price)")
            })
        return myChannel
    }

    // Parsing event data: JSONSerialization.
    func serialization() -> PusherChannel {
        let myChannel = pusher.subscribe("my-channel")

        myChannel.bind(
            eventName: "price-update",
            eventCallback: { (event: PusherEvent) -> Void in
                guard let json: String = event.data,
                    let jsonData: Data = json.data(using: .utf8)
                else {
                    say("Could not convert JSON string to data")
                    return
                }

                let decoded = try? JSONSerialization.jsonObject(with: jsonData, options: []) as? [String: Any]
                guard let priceUpdate = decoded else {
                    say("Could not decode price update")
                    return
                }

                if let company = priceUpdate["company"] as? String, let price = priceUpdate["price"] as? String {
                    say("\(company) is now priced at \(price)")
                }
            })
        return myChannel
    }

    // Receiving errors: the legacy approach. Adjusted: `let` and a comma for `where`.
    func errorsLegacy() {
        pusher.bind({ (message: Any?) in
            if let message = message as? [String: Any], let eventName = message["event"] as? String, eventName == "pusher:error" {
                if let data = message["data"] as? [String: Any], let errorMessage = data["message"] as? String {
                    say("Error message: \(errorMessage)")
                }
            }
        })
    }

    // Unbind event handlers.
    func unbind() -> PusherChannel {
        let myChannel = pusher.subscribe("my-channel")

        let eventHandlerId = myChannel.bind(
            eventName: "new-price",
            eventCallback: { (event: PusherEvent) -> Void in
                say("unbound")
            })

        myChannel.unbind(eventName: "new-price", callbackId: eventHandlerId)
        return myChannel
    }

    // Unbind event handlers: "the option of calling unbindAll" on both objects.
    func unbindAll() {
        pusher.unbindAll()
        pusher.subscribe("my-channel").unbindAll()
    }

    // Triggering events. Adjusted: the channel is made here.
    func trigger() -> PusherChannel {
        let chan = pusher.subscribe("private-my-channel")
        chan.trigger(eventName: "client-myEvent", data: ["myName": "Bob"])
        return chan
    }
}
