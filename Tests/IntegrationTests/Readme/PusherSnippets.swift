import PusherSwift

// The README's and docs' snippets about PusherSwift as they stand there, so that they compile. Nobody calls these functions;
// `ReadmePusherTests` runs the same. Tests/InteropTests/test_documentation.py compares the texts.

func readmePusher() async throws {
    let options = PusherClientOptions(
        authMethod: .endpoint(authEndpoint: "http://localhost:9292/pusher/auth"), host: .host("127.0.0.1"), port: 6001,
        useTLS: false)
    let pusher = Pusher(key: "app-key", options: options)
    let channel = pusher.subscribe("my-channel")
    channel.bind(eventName: "new-price") { (event: PusherEvent) in
        print(event.data ?? "")
    }
    pusher.connect()

    options.userAuthentication = .endpoint(authEndpoint: "http://localhost:9292/pusher/user-auth")
    let user = try await pusher.signin()  // and again on every later connection, without asking
    pusher.user.bind(eventName: "note") { event in print(event.data ?? "") }
    pusher.user.watchlist.bind(eventName: "online") { change in print(change.userIds) }

    for await event in pusher.subscribe("my-channel").events(named: "new-price") { print(event.data ?? "") }
    _ = user
}

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
