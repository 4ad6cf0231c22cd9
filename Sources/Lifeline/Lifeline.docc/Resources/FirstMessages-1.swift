import Lifeline

@main
struct FirstMessages {
    static func main() async throws {
        let service = Service.pusher(
            key: "app-key", host: ServiceHost("127.0.0.1", port: 6001, tls: false),
            access: .secret("app-secret", appID: "1001"))
        let client = LifelineClient(service)
        print("--", client.status)
    }
}
