// An application in Objective-C on Pusher: every Objective-C call of the client's documentation, against the header of PusherSwift.
// Only compiled. Where an example uses a name that it does not define, that is said.
#import <Foundation/Foundation.h>
#import "PusherSwift-Swift.h"

// Configuration: a request builder.
@interface AuthRequestBuilder : NSObject <AuthRequestBuilderProtocol>

- (NSURLRequest *)requestForSocketID:(NSString *)socketID channelName:(NSString *)channelName;

@end

@implementation AuthRequestBuilder

- (NSURLRequest *)requestForSocketID:(NSString *)socketID channelName:(NSString *)channelName {
    NSURL *url = [[NSURL alloc] initWithString:@"http://localhost:9292/pusher/auth"];
    NSURLRequest *request = [[NSURLRequest alloc] initWithURL:url];
    NSMutableURLRequest *mutableRequest = [[NSMutableURLRequest alloc] initWithURL:url];

    NSString *dataStr = [NSString stringWithFormat:@"socket_id=%@&channel_name=%@", socketID, channelName];
    NSData *data = [dataStr dataUsingEncoding:NSUTF8StringEncoding];
    mutableRequest.HTTPBody = data;
    mutableRequest.HTTPMethod = @"POST";
    [mutableRequest addValue:@"myToken" forHTTPHeaderField:@"Authorization"];

    request = [mutableRequest copy];

    return request;
}

@end

// Connection delegate: all methods.
@interface DummyDelegate : NSObject <PusherDelegate>
// Presence channels: the example for the delegate uses it without saying where it comes from.
@property (nonatomic, strong) Pusher *client;
@end

@implementation DummyDelegate

- (void)changedConnectionState:(enum ConnectionState)old to:(enum ConnectionState)new_ {
    NSLog(@"%ld %ld", (long)old, (long)new_);
}

- (void)debugLogWithMessage:(NSString *)message {
    NSLog(@"%@", message);
}

- (void)subscribedToChannelWithName:(NSString *)name {
    if ([name isEqual:@"presence-channel"]) {
        PusherPresenceChannel *presChan = [self.client.connection.channels findPresenceWithName:@"presence-channel"];
        NSLog(@"%@", [presChan members]);
        NSLog(@"%@", [presChan myId]);
    }
}

- (void)failedToSubscribeToChannelWithName:(NSString *)name
                                  response:(NSURLResponse *)response
                                      data:(NSString *)data
                                     error:(NSError *)error {
    NSLog(@"%@ %@ %@ %@", name, response, data, error);
}

- (void)receivedError:(PusherError *)error {
    NSNumber *code = error.codeOC;
    NSString *message = error.message;
    NSLog(@"%@ %@", code, message);
}

- (void)failedToDecryptEventWithEventName:(NSString *)eventName channelName:(NSString *)channelName data:(NSString *)data {
    NSLog(@"%@ %@ %@", eventName, channelName, data);
}

@end

// Connection delegate: in a view controller, here without UIKit.
@interface ViewController : NSObject <PusherDelegate>
@property (nonatomic, strong) Pusher *client;
@end

@implementation ViewController

- (void)viewDidLoad {
    self.client = [[Pusher alloc] initWithAppKey:@"YOUR_APP_KEY"];

    self.client.connection.delegate = self;
}

// Configuration: cluster, options, client.
- (Pusher *)configured {
    OCAuthMethod *authMethod = [[OCAuthMethod alloc] initWithAuthEndpoint:@"https://your.authendpoint/pusher/auth"];
    OCPusherHost *host = [[OCPusherHost alloc] initWithCluster:@"eu"];
    PusherClientOptions *options = [[PusherClientOptions alloc]
                                    initWithOcAuthMethod:authMethod
                                    autoReconnect:YES
                                    ocHost:host
                                    port:nil
                                    useTLS:YES
                                    activityTimeout:nil];
    return [[Pusher alloc] initWithAppKey:@"YOUR_APP_KEY" options:options];
}

// Configuration: the other ways to authorise, and the other hosts.
- (NSArray<PusherClientOptions *> *)otherOptions {
    OCAuthMethod *secret = [[OCAuthMethod alloc] initWithSecret:@"YOUR_APP_SECRET"];
    OCAuthMethod *builder = [[OCAuthMethod alloc] initWithAuthRequestBuilder:[[AuthRequestBuilder alloc] init]];
    OCAuthMethod *none = [[OCAuthMethod alloc] init];
    OCPusherHost *host = [[OCPusherHost alloc] initWithHost:@"ws-test.pusher.com"];
    NSLog(@"%@", host);
    return @[
        [[PusherClientOptions alloc] initWithAuthMethod:secret], [[PusherClientOptions alloc] initWithAuthMethod:builder],
        [[PusherClientOptions alloc] initWithAuthMethod:none]
    ];
}

// Connection: connect, and user data.
- (void)connect {
    Pusher *pusher = [[Pusher alloc] initWithAppKey:@"YOUR_APP_KEY"];
    [pusher connect];

    pusher.connection.userDataFetcher = ^PusherPresenceChannelMember *() {
        NSString *uuid = [[NSUUID UUID] UUIDString];
        return [[PusherPresenceChannelMember alloc] initWithUserId:uuid userInfo:nil];
    };
}

// Subscribing.
- (void)subscribe:(Pusher *)pusher {
    PusherChannel *myChannel = [pusher subscribeWithChannelName:@"my-channel"];
    PusherChannel *myPrivateChannel = [pusher subscribeWithChannelName:@"private-my-channel"];
    PusherChannel *privateEncryptedChannel = [pusher subscribeWithChannelName:@"private-encrypted-my-channel"];
    PusherPresenceChannel *myPresenceChannel = [pusher subscribeToPresenceChannelWithChannelName:@"presence-my-channel"];
    PusherChannel *samePresenceChannel = [pusher subscribeWithChannelName:@"presence-my-channel"];
    NSLog(@"%@ %@ %@ %@ %@", myChannel, myPrivateChannel, privateEncryptedChannel, myPresenceChannel, samePresenceChannel);

    void (^onMemberChange)(PusherPresenceChannelMember *) = ^void(PusherPresenceChannelMember *member) {
        NSLog(@"%@", member);
    };

    PusherChannel *withMembers = [pusher subscribeWithChannelName:@"presence-my-channel"
                                                    onMemberAdded:onMemberChange
                                                  onMemberRemoved:onMemberChange];
    NSLog(@"%@", withMembers);

    PusherPresenceChannel *chan = [pusher subscribeToPresenceChannelWithChannelName:@"presence-channel"];

    [chan bindWithEventName:@"pusher:subscription_succeeded" eventCallback:^void(PusherEvent *event) {
        NSLog(@"Subscribed!");
        NSLog(@"I can now access myId: %@", chan.myId);
        NSLog(@"And here are my channel members: %@", chan.members);
    }];
}

// Presence channels: with a delegate of its own.
- (void)subscribeWithDelegate {
    Pusher *pusher = [[Pusher alloc] initWithAppKey:@"YOUR_APP_KEY"];
    DummyDelegate *delegate = [[DummyDelegate alloc] init];
    pusher.connection.delegate = delegate;
    PusherChannel *chan = [pusher subscribeToPresenceChannelWithChannelName:@"presence-channel"];
    NSLog(@"%@", chan);
}

// Binding to events, per channel and globally, with the legacy callbacks too.
- (void)bind:(Pusher *)pusher {
    PusherChannel *chan = [pusher subscribeWithChannelName:@"my-channel"];

    [chan bindWithEventName:@"new-price" eventCallback:^void(PusherEvent *event) {
        NSString *data = event.data;
        NSLog(@"%@", data);
    }];

    [chan bindWithEventName:@"new-price" callback:^void(NSDictionary *data) {
        NSString *price = data[@"price"];
        NSString *company = data[@"company"];

        NSLog(@"%@ is now priced at %@", company, price);
    }];

    [pusher bindWithEventCallback:^void(PusherEvent *event) {
        NSString *data = event.data;
        NSLog(@"%@", data);
    }];

    [pusher bind:^void(NSDictionary *event) {
        NSDictionary *data = event[@"data"];
        NSString *commenter = data[@"commenter"];
        NSString *message = data[@"message"];

        NSLog(@"%@ wrote %@", commenter, message);
    }];
}

// Parsing event data.
- (void)parse:(PusherChannel *)chan {
    [chan bindWithEventName:@"price-update" eventCallback:^void(PusherEvent *event) {
        NSString *dataString = event.data;
        NSData *data = [dataString dataUsingEncoding:NSUTF8StringEncoding];

        NSError *error;
        NSDictionary *jsonObject = [NSJSONSerialization JSONObjectWithData:data options:kNilOptions error:&error];

        NSString *price = jsonObject[@"price"];
        NSString *company = jsonObject[@"company"];

        NSLog(@"%@ is now priced at %@", company, price);
    }];
}

// Receiving errors: the legacy approach.
- (void)errors:(Pusher *)pusher {
    [pusher bind:^void(NSDictionary *data) {
        NSString *eventName = data[@"event"];

        if ([eventName isEqualToString:@"pusher:error"]) {
            NSString *errorMessage = data[@"data"][@"message"];
            NSLog(@"Error message: %@", errorMessage);
        }
    }];
}

// Unbind event handlers.
- (void)unbind:(Pusher *)pusher {
    PusherChannel *chan = [pusher subscribeWithChannelName:@"my-channel"];

    NSString *callbackId = [chan bindWithEventName:@"new-price" eventCallback:^void(PusherEvent *event) {
        NSLog(@"%@", event);
    }];

    [chan unbindWithEventName:@"new-price" callbackId:callbackId];
}

@end
