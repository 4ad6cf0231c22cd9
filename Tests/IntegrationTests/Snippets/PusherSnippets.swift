import PusherSwift

// The snippets of the documentation of `PusherSwift` as they stand there, so that they compile. Nobody calls these functions.
// Tests/InteropTests/test_documentation.py compares the texts.

func additionsUsers() {
    let options = PusherClientOptions(authMethod: .endpoint(authEndpoint: "https://example.com/pusher/auth"))
    options.userAuthentication = .endpoint(authEndpoint: "https://example.com/pusher/user-auth")

    let pusher = Pusher(key: "APP_KEY", options: options)
    pusher.user.bind(eventName: "order-shipped") { event in print(event.data ?? "") }
    pusher.user.watchlist.bind(eventName: "online") { event in print("online:", event.userIds) }
    pusher.bind { event in if event.eventName == "pusher:signin_error" { print(event.data ?? "") } }
    pusher.connect()
    pusher.signin()
}

func additionsSigningIn(_ pusher: Pusher) async throws {
    do {
        let user = try await pusher.signin()
        print(user.userId)
    } catch let error as PusherSigninError {
        print(error.category, error.message)
    }
}
