import PubNub

// As PusherSnippets.swift, for PubNub.

func readmePubNub() {
    final class Listener: PNObjectEventListener {
        func client(_ client: PubNub, didReceive status: PNStatus) {
            if status.category == .PNAccessDeniedCategory, let denied = status as? PNErrorStatus {
                print("no right to \(denied.errorData.channels)")
                // It is retried until the right is granted, or until status.cancelAutomaticRetry().
            }
        }
        func client(_ client: PubNub, didReceiveMessage message: PNMessageResult) {
            print(message.data.channel, message.data.message ?? "")
        }
    }

    let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
    configuration.origin = "127.0.0.1:6001"
    configuration.TLSEnabled = false
    let client = PubNub.clientWithConfiguration(configuration)
    let listener = Listener()  // listeners are held weakly, as in the SDK
    client.addListener(listener)
    client.subscribeToChannels(["room"], withPresence: true)
    client.publish(["hello": "world"], toChannel: "room") { status in
        if status.isError { status.retry() }
    }
}
