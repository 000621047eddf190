"""placeholder"""


def check_model(model):
    pass
